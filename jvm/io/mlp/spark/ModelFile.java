// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;

/** Model files, on every file system that Hadoop knows. */
final class ModelFile {
  private ModelFile() {}

  /**
   * Reads a model file.
   *
   * @param path such as file:///models/m.json, or without a scheme on Hadoop's default file
   *     system
   */
  static byte[] read(String path, Configuration configuration) {
    refuseNul(path);
    Path file = new Path(path);
    try (InputStream input = file.getFileSystem(configuration).open(file)) {
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      byte[] part = new byte[1 << 16];
      for (int size = input.read(part); size >= 0; size = input.read(part)) {
        text.write(part, 0, size);
        // A device may have no end; the library says what is wrong with these bytes.
        if (text.size() == size && size > 0 && !canBeModel(part[0])) break;
      }
      return text.toByteArray();
    } catch (IOException error) {
      throw unreadable(path, error);
    }
  }

  /** True for the first byte of an object in JSON, and for white space before it. */
  private static boolean canBeModel(byte first) {
    return " \t\r\n{".indexOf(first) >= 0;
  }

  private static void refuseNul(String path) {
    if (path.indexOf('\0') < 0) return;
    throw new IllegalArgumentException(
        "the path of a model must not have a null character; got " + path.replace("\0", "\\0"));
  }

  /**
   * Returns a text that changes when the file is replaced or written: its size and the time
   * of its last change, and for a file of this machine also its identity, because two
   * files of one size may be written within a tick of the clock.
   */
  static String version(String path, Configuration configuration) {
    refuseNul(path);
    Path file = new Path(path);
    try {
      FileSystem system = file.getFileSystem(configuration);
      FileStatus status = system.getFileStatus(file);
      if (!(system instanceof LocalFileSystem)) {
        return status.getLen() + " " + status.getModificationTime();
      }
      BasicFileAttributes facts = Files.readAttributes(
          ((LocalFileSystem) system).pathToFile(file).toPath(), BasicFileAttributes.class);
      return facts.size() + " " + facts.lastModifiedTime().toInstant() + " " + facts.fileKey();
    } catch (IOException error) {
      throw unreadable(path, error);
    }
  }

  private static IllegalArgumentException unreadable(String path, IOException error) {
    return new IllegalArgumentException("cannot read the model " + path + ": " + error.getMessage()
            + "; the path must be readable on this machine",
        error);
  }

  /** Returns a text that identifies the contents of a model file. */
  static String digest(byte[] text) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text);
      return Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException(error); // each Java has SHA-256
    }
  }
}
