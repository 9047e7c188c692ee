#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Refuses every include that the architecture forbids.

Usage: check_includes.py [ROOT]
Prints file, line and the forbidden edge of each violation; exits 1 on any.
"""

import pathlib
import re
import sys

# What a folder may include beside itself: a folder, a sub-folder, one header, or
# one header and all it includes in turn (a trailing +). Folders that are not listed here
# and not in FREE are no place for code.
ALLOWED = {
    "core": (),
    "activations": ("core",),
    "optim": ("core",),
    "datasets": ("core",),
    "distributed": ("core",),
    "mlp": ("core", "activations", "optim", "distributed/allreduce.hpp",
            "distributed/device_allreduce.hpp",
            "distributed/exact_sum.hpp", "distributed/identity.hpp",
            "distributed/timeline.hpp", "datasets/dataset.hpp",
             "datasets/feature_moments.hpp", "datasets/input_column.hpp",
             "datasets/label_index.hpp", "datasets/reading/quoted.hpp",
             "datasets/quantile_encoder.hpp",
             "datasets/reading/known_columns.hpp",
             "datasets/select.hpp", "datasets/standard_scaler.hpp",
             "datasets/stored/stored_features.hpp",
             "datasets/stratified_split.hpp", "datasets/group_split.hpp"),
    "cpu": ("core", "activations", "mlp/backend/backend.hpp+",
            "mlp/network/batch_norm.hpp", "mlp/network/dropout.hpp",
            "mlp/backend/apply_loss.hpp"),
    "openblas": ("core", "activations", "mlp/backend/backend.hpp+",
                 "mlp/backend/converting_plan.hpp",
                 "mlp/backend/apply_loss.hpp"),
    "cuda": ("core", "activations", "optim", "distributed/allreduce.hpp+",
             "distributed/device_allreduce.hpp", "distributed/rendezvous",
             "distributed/peers/peer_watch.hpp+", "mlp/backend",
             "mlp/exchange/bucket_plan.hpp", "mlp/network", "mlp/params",
             "mlp/instances"),
    "capi": ("mlp/mlp.hpp+", "mlp/model_json.hpp+", "cpu/cpu_backend.hpp+",
             "datasets/partition.hpp+", "mlp/model/spark_weights.hpp",
             "mlp/model_file/assembled_document.hpp"),
    "python": ("core/files/output_files.hpp+", "mlp/mlp.hpp+",
               "mlp/model_json.hpp+", "datasets/load/load.hpp+",
               "datasets/column_encoder.hpp+",
        "datasets/column_features.hpp+", "datasets/label_kind.hpp+",
               "datasets/label_numbers.hpp+", "datasets/stored/sparse_features.hpp",
               "cpu/cpu_backend.hpp+", "cpu/base/finite_kernels.hpp",
               "openblas/openblas_backend.hpp+",
               "cuda/cuda_backend.hpp+", "distributed/gloo/gloo_allreduce.hpp+",
               "mlp/checkpoint/checkpoint_file.hpp+",
               "mlp/model/scoring_columns.hpp", "mlp/model/spark_weights.hpp",
               "mlp/model_file/assembled_document.hpp",
               "mlp/params/class_values.hpp+", "mlp/params/weight_scale.hpp",
               "mlp/selection/select_model.hpp+", "capi"),
    "jvm": ("capi",),
}
CLI = ("core", "activations", "optim", "datasets", "distributed", "mlp", "cpu",
       "openblas", "cuda")

# The sub-folders of the large folders, lowest first, and what each may include
# of its own folder: a sub-folder, one header of the root, or "." for the root.
# A sub-folder with sub-folders of its own has an entry of its own.
SUBFOLDERS = {
    "core": {
        ".": (),
        "memory": (".",),
        "files": (".", "memory"),
        "plugin": (".",),
    },
    "datasets": {
        "reading": (),
        "stored": (),
        ".": ("reading", "stored"),
        "csv": ("reading", "stored", "."),
        "arrow": ("reading", "csv", "."),
        "libsvm": ("reading", "."),
        "binary": ("reading", "."),
        "load": ("reading", "stored", ".", "csv", "libsvm", "binary", "arrow"),
    },
    "datasets/csv": {
        "layout": ("csv_dialect.hpp", "csv_look_ahead.hpp", "csv_options.hpp",
                   "csv_scanner.hpp"),
        "expansion": ("csv_look_ahead.hpp", "csv_options.hpp", "csv_quotes.hpp",
                      "csv_scanner.hpp", "layout"),
        ".": ("expansion", "layout"),
    },
    "distributed": {
        "rendezvous": (),
        ".": ("rendezvous",),
        "plugin": ("rendezvous", "."),
        "peers": ("rendezvous",),
        "gloo": ("rendezvous", ".", "plugin", "peers"),
        "mpi": ("rendezvous", ".", "plugin"),
    },
    "optim": {
        ".": (),
        "line_search": (),
        "lbfgs": (".", "line_search"),
        "gradient_descent": (".",),
    },
    "mlp": {
        "network": (),
        "params": ("network",),
        "instances": ("network", "params"),
        "backend": ("network", "instances"),
        "model": ("network", "params", "backend"),
        "result": ("params", "model"),
        "model_file": ("network", "params", "backend", "model", "result"),
        "exchange": ("network",),
        "objective": ("network", "params", "instances", "backend", "exchange"),
        "checkpoint": (),
        "training": ("network", "params", "instances", "backend", "model",
                     "result", "exchange", "objective", "checkpoint"),
        "selection": ("network", "params", "instances", "model", "result",
                      "training"),
        ".": ("params", "instances", "model", "model_file", "result",
              "training"),
    },
    "mlp/training": {
        ".": (),
        "fit": (".",),
    },
    "cpu": {
        "base": (),
        "lanes": ("base",),
        "panels": ("base",),
        "rows": ("base", "panels"),
        ".": ("base", "lanes", "panels", "rows"),
    },
    "cuda": {
        "runtime": (),
        "blas": ("runtime",),
        "nccl": ("runtime",),
        "kernels": ("runtime",),
        "steps": ("runtime",),
        "instances": ("runtime", "kernels"),
        "network": ("runtime", "blas", "kernels", "instances"),
        "solvers": ("runtime", "nccl", "kernels", "steps", "network"),
        ".": ("runtime", "blas", "nccl", "network", "solvers"),
    },
    "cli": {
        "console": (),
        "flags": ("console",),
        "device": ("console", "flags"),
        "data": ("console", "flags"),
        "fit": ("console", "flags", "data"),
        "train": ("console", "flags", "device", "data", "fit",
                  "commands.hpp"),
        "score": ("console", "flags", "device", "data", "commands.hpp"),
        "describe": ("console", "flags", "device", "data", "commands.hpp"),
        ".": ("console", "flags"),
    },
    "cli/flags": {
        ".": (),
        "help": (".",),
    },
    "cli/fit": {
        ".": (),
        "ranks": (".",),
        "folds": (".",),
    },
    "python": {
        "core": (),
    },
    "python/core": {
        ".": (),
        "data": (".",),
        "model": (".", "data"),
        "training": (".", "data", "model"),
    },
}
FREE = ("tests", "bench", "examples", "docs", "tools")

# Where the headers of others may be included: a pattern of the include, its
# owner, and a pattern of the files that may name it.
EVALUATORS = r"|tests/.*|bench/.*"
THIRD_PARTY = (
    (r"Eigen/.*", "Eigen", r".*"),
    (r"nlohmann/.*", "nlohmann/json",
     r"mlp/model_json\.hpp|mlp/model_file/\w+\.[hi]pp|cli/.*" + EVALUATORS),
    (r"boost/context/.*", "Boost.Context", r"tests/cuda_host/fiber\.(hpp|cpp)"),
    (r"sanitizer/.*", "sanitizers", r"tests/.*\.cpp"),
    (r"zlib\.h", "zlib", r"datasets/binary/gzip\.hpp" + EVALUATORS),
    (r"hwy/.*", "Highway", r"cpu/.*"),
    (r"dlfcn\.h", "dlopen",
     r"core/plugin/plugin_file\.hpp"
     r"|(openblas/openblas_backend|cuda/runtime/shared_library"
     r"|bench/peers/onnx_runtime|tests/faults/fault_injection)\.cpp"),
    (r"doctest/.*", "doctest", r"tests/.*"),
    (r"(cuda|cublas|curand|nv).*|cooperative_groups.*|cub/.*|thrust/.*",
     "CUDA", r"cuda/.*|tests/cuda(_host)?/.*|bench/cuda/.*"),
    (r"mpi\.h", "MPI",
     r"distributed/mpi/\w+\.(hpp|cpp)|bench/sums/mpi_allreduce\.cpp"),
    (r"gloo/.*", "Gloo",
     r"distributed/gloo/\w+\.(hpp|cpp)|bench/sums/allreduce\.cpp"),
    (r"mlp/c_api\.h", "the C interface", r"capi/.*|tests/capi/.*|jvm/jni/.*"),
    (r"nanobind/.*", "nanobind", r"python/core/.*"),
    (r"nccl\.h", "NCCL", r"tests/cuda_build/nccl_header_check\.cpp"),
    (r"(arrow|parquet)/.*", "Arrow", r"datasets/arrow/plugin/\w+\.[ch]pp"),
    (r"pybind11/.*|Python\.h", "Python", r"python/.*"),
)
# The C++ and POSIX headers: one word, or one of these folders.
SYSTEM = re.compile(r"[a-z0-9_]+|[a-z0-9_]+\.h|(sys|netinet|arpa|linux)/\w+\.h")

UMBRELLA = "mlp/mlp.hpp"  # and what it includes needs Eigen alone
PUBLIC_PAGE = "docs/library.md"
SUFFIXES = {".ipp", ".hpp", ".h", ".cpp", ".cc", ".cu", ".cuh"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)
COMMENT = re.compile(r"/\*.*?\*/", re.S)


class Include:
    """One include directive: where it stands and what it means."""

    def __init__(self, root, file, line, quoted, text, folders):
        self.file, self.line, self.quoted, self.text = file, line, quoted, text
        self.target = None  # the header's path below root, if it is ours
        beside = (root / file).parent / text
        if quoted and beside.is_file():
            self.target = beside.resolve().relative_to(root).as_posix()
        elif (root / text).is_file() and text.split("/")[0] in folders:
            self.target = text
        self.is_rooted = self.target == text and folder_of(file) not in FREE \
            and folder_of(text) in folders and "/" in text

    def complaint(self, sentence):
        return f"{self.file}:{self.line}: {sentence}"


def folder_of(path):
    return path.split("/")[0]


def subfolder_of(path, folder):
    """The sub-folder that a file is in, or "." at its folder's root."""
    parts = path.removeprefix(folder + "/").split("/")
    return parts[0] if len(parts) > 1 else "."


def read_includes(root, folders):
    """All includes of each source file, by the file's path below root."""
    found = {}
    for folder in sorted(folders):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES or not path.is_file():
                continue
            file = path.relative_to(root).as_posix()
            text = COMMENT.sub(lambda m: "\n" * m[0].count("\n"),
                               path.read_text(encoding="utf-8"))
            found[file] = [
                Include(root, file, text.count("\n", 0, m.start(1)) + 1,
                        m[1] == '"', m[2], folders)
                for m in INCLUDE.finditer(text)]
    return found


def closure(start, includes):
    """The header itself and every own header that it includes in turn."""
    seen, waiting = set(), [start]
    while waiting:
        file = waiting.pop()
        if file not in seen:
            seen.add(file)
            waiting += [i.target for i in includes.get(file, ()) if i.target]
    return seen


def check_own(include, includes):
    """The complaint about an include of one of our own headers, if any."""
    source, target = folder_of(include.file), folder_of(include.target)
    edge = f"forbidden edge {source} -> {target}"
    if target in FREE:
        if source in FREE:
            return None
        return f"{edge}: nobody includes {target}/ ({include.text})"
    if include.is_rooted:
        return (f"{edge}: {include.text} is rooted; expected a path relative "
                "to this file, because a consumer's own folder would shadow it")
    allowed = CLI if source == "cli" else ALLOWED.get(source, ())
    if source == target:
        return check_subfolder(include, source)
    if source in FREE:
        return None
    for rule in allowed:
        if rule.endswith("+"):
            if include.target in closure(rule[:-1], includes):
                return None
        elif include.target == rule or include.target.startswith(rule + "/"):
            return None
    return (f"{edge}: {include.target}; {source}/ may include "
            + (", ".join(allowed) or "nothing of ours"))


def check_subfolder(include, folder):
    """The complaint about an include between sub-folders, if any."""
    allowed = SUBFOLDERS.get(folder)
    source = subfolder_of(include.file, folder)
    target = subfolder_of(include.target, folder)
    if allowed is None:
        return None
    if source == target:
        return None if source == "." \
            else check_subfolder(include, f"{folder}/{source}")
    if source not in allowed:
        return f"{folder}/{source}/ has no line in SUBFOLDERS of this tool"
    if {target, include.target.removeprefix(folder + "/")} \
            & set(allowed[source]):
        return None
    return (f"forbidden edge {folder}/{source} -> {folder}/{target}: "
            f"{include.target}; {folder}/{source} may include "
            + (", ".join(allowed[source]) or "nothing else of its folder"))


def check_foreign(include):
    """The complaint about an include of somebody else's header, if any."""
    for pattern, owner, files in THIRD_PARTY:
        if re.fullmatch(pattern, include.text):
            if re.fullmatch(files, include.file):
                return None
            return (f"forbidden edge {folder_of(include.file)} -> {owner}: "
                    f"<{include.text}>; only {files} may include {owner}")
    if include.quoted:
        return f'"{include.text}" is not found beside this file'
    if SYSTEM.fullmatch(include.text):
        return None
    return (f"forbidden edge {folder_of(include.file)} -> <{include.text}>: "
            "an unknown library; expected one of tools/check_includes.py")


def check_umbrella(includes):
    """Complaints about libraries other than Eigen behind the umbrella."""
    for file in sorted(closure(UMBRELLA, includes)):
        for include in includes.get(file, ()):
            for pattern, owner, _ in THIRD_PARTY[1:]:
                if re.fullmatch(pattern, include.text):
                    yield include.complaint(
                        f"forbidden edge {UMBRELLA} -> {owner}: the umbrella "
                        "and all behind it need Eigen alone")


def check_public(root):
    """Complaints about the page of public headers, and about examples that use
    others."""
    page = root / PUBLIC_PAGE
    if not page.is_file():
        return
    text = page.read_text(encoding="utf-8")
    public = set(re.findall(r"`([\w/]+\.hpp)`(?=[^|\n]*\|[^|\n]*\|$)", text, re.M))
    for header in sorted(public):
        if not (root / header).is_file():
            yield f"{PUBLIC_PAGE}: public header {header}, which is gone"
    for file in sorted((root / "examples").rglob("*.cpp")):
        lines = file.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            found = re.match(r'#include "\.\./(.*)"', line)
            if found and found[1] not in public:
                yield (f"{file.relative_to(root)}:{number}: {found[1]} is private; "
                       f"expected a header of {PUBLIC_PAGE}")


def check_cycles(includes):
    """One complaint for each include that closes a cycle; a header and its
    own definitions (.ipp), which name each other, are none."""
    done, complaints = set(), []

    def visit(file, trail):
        done.add(file)
        for include in includes.get(file, ()):
            if include.target == file.replace(".ipp", ".hpp"):
                continue
            if include.target in trail:
                cycle = trail[trail.index(include.target):] + [include.target]
                complaints.append(
                    include.complaint("cycle " + " -> ".join(cycle)))
            elif include.target and include.target not in done:
                visit(include.target, trail + [include.target])

    for file in includes:
        if file not in done:
            visit(file, [file])
    return complaints


def check(root):
    """All complaints about the tree below root."""
    folders = set(ALLOWED) | {"cli"} | set(FREE)
    includes = read_includes(root, folders)
    complaints = []
    for include in (i for group in includes.values() for i in group):
        found = (check_own(include, includes) if include.target
                 else check_foreign(include))
        if found:
            complaints.append(include.complaint(found))
    complaints += check_umbrella(includes)
    complaints += check_cycles(includes)
    complaints += check_public(root)
    return complaints, sum(map(len, includes.values())), len(includes)


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else here
    complaints, num_includes, num_files = check(root)
    for complaint in complaints:
        print(complaint)
    print(f"{num_includes} includes in {num_files} files: "
          f"{len(complaints)} forbidden")
    return 1 if complaints or not num_files else 0


if __name__ == "__main__":
    sys.exit(main())
