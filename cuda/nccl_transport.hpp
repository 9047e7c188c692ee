// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sums over ranks that have a device each and are connected by NCCL.

#include <memory>
#include <string>

#include "../distributed/device_allreduce.hpp"
#include "../distributed/rendezvous/rendezvous.hpp"
#include "nccl/nccl_options.hpp"

namespace mlp::cuda {

/// Connects ranks by NCCL, and by TCP to notice lost ranks. Loads NCCL if there
/// are two ranks or more. The device of the rank becomes the current one of the
/// calling thread, also for one rank.
///
/// The ranks call all_gather() of the rendezvous three times. A rank that cannot
/// join says so there, and the others end at once.
///
/// A rank that dies or leaves ends the group, and so does cancel(); the others
/// get a CommunicationError with its sentence within a second. If a rank hangs,
/// or a cable is cut, the error comes at the deadline and names no rank.
/// Numbers are neither encrypted nor protected against changes.
///
/// Memory: 4 MiB of the device after the first sum of numbers of the host, and
/// what NCCL needs.
///
/// \param rendezvous  not used later
/// \throws NotCompiled in a build without CUDA; DeviceError if this rank has no
///         device; ResourceError if NCCL is missing or too old;
///         CommunicationError if the ranks do not find each other or cannot be
///         connected
[[nodiscard]] std::unique_ptr<distributed::DeviceAllreduce> make_nccl_allreduce(
    distributed::Rendezvous& rendezvous, const NcclOptions& options);

/// Returns the device of a rank: the one that it names, or one for each rank.
///
/// \param wanted  -1: the rank modulo the number of devices
/// \throws as make_nccl_allreduce(), without ranks
[[nodiscard]] int nccl_device(int rank, int wanted);

/// Checks whether several ranks of this machine can be connected by NCCL, which
/// needs a device for each.
///
/// \throws as make_nccl_allreduce(), without ranks
void require_nccl(int num_ranks);

/// Whether NCCL works on this machine.
struct NcclProbe {
  std::string refusal;      ///< why not, or empty
  std::string description;  ///< the version of NCCL
};

/// Looks for a device and for NCCL.
[[nodiscard]] NcclProbe probe_nccl();

}  // namespace mlp::cuda
