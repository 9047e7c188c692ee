// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../core/index.hpp"
#include "../../mlp/instances/instance_range.hpp"
#include "../kernels/number_types.hpp"
#include "../runtime/device_array.hpp"
#include "../runtime/pinned_array.hpp"
#include "../runtime/stream.hpp"
#include "memory_plan.hpp"

namespace mlp::cuda {

/// Where instances are stored, and how many are computed at once.
struct InstancePlan {
  MemoryPlan memory;
  double byte_scale = 0.0;  ///< 0 if features are not stored as bytes
};

/// Instances whose labels, targets and weights are on the device, and their
/// features too if the plan says so. They are copied once.
///
/// \tparam Input  double, float or BFloat16: the type of factors of products
template <typename Input>
class DeviceInstances {
 public:
  /// \param instances     their features must outlive this object if they stay on
  ///                      the host
  /// \param num_features  of an instance
  /// \param num_outputs   targets of an instance, if there are targets
  /// \param plan          of these instances
  /// \throws ResourceError if the device has too little memory
  /// \cost   waits for the copies
  DeviceInstances(const InstanceRange& instances, Index num_features,
                  Index num_outputs, const InstancePlan& plan,
                  const Stream& stream);

  [[nodiscard]] Index size() const { return instances_.size; }
  [[nodiscard]] Index num_features() const { return num_features_; }

  /// Returns true if the features are on the device.
  [[nodiscard]] bool is_resident() const {
    return place_ != FeaturePlace::kHost;
  }

  /// Factors of products [num_features x size], or null.
  [[nodiscard]] const Input* operands() const { return operands_.data(); }

  /// Bytes that stand for themselves times byte_scale() [num_features x size],
  /// or null.
  [[nodiscard]] const std::uint8_t* bytes() const { return bytes_.data(); }

  /// 0 if the features are no bytes.
  [[nodiscard]] double byte_scale() const { return byte_scale_; }

  /// The instances on the host; features alone are read.
  [[nodiscard]] const InstanceRange& on_host() const { return instances_; }

  /// Of the softmax, else null   [size]
  [[nodiscard]] const std::int32_t* labels() const { return labels_.data(); }

  /// Of the other losses, else null   [num_outputs x size]
  [[nodiscard]] const double* targets() const { return targets_.data(); }

  /// Null if all are 1   [size]
  [[nodiscard]] const double* weights() const { return weights_.data(); }

 private:
  template <typename Stored>
  void upload_features(DeviceArray<Stored>& to, const Stream& stream);

  InstanceRange instances_;
  Index num_features_;
  FeaturePlace place_;
  double byte_scale_;
  DeviceArray<Input> operands_;
  DeviceArray<std::uint8_t> bytes_;
  DeviceArray<std::int32_t> labels_;
  DeviceArray<double> targets_;
  DeviceArray<double> weights_;
};

/// Returns the bytes of the labels, targets and weights of an instance on the
/// device.
[[nodiscard]] std::size_t instance_bytes(const InstanceRange& instances,
                                         Index num_outputs);

/// Calls plan_memory() for some instances.
///
/// \param needs  this function sets the members about instances and features
[[nodiscard]] InstancePlan plan_instances(const InstanceRange& instances,
                                          Index num_features, Index num_outputs,
                                          MemoryNeeds needs,
                                          const DeviceBytes& bytes);

}  // namespace mlp::cuda
