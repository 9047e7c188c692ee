# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0

# The tests of the program's sources.
if(TARGET mlp_program)
  mlp_add_tests(cli
  console/exit_code
  console/json_output
  console/output_failures
  console/training_notes
  describe/doctor
  describe/inspect
  device/cpu_speed
  device/device_choice
  flags/backend_choice
  flags/command_line
  flags/help/completion
  data/csv_flags
  flags/device_request
  data/encoding_flags
  flags/flag_reader
  flags/help/flag_text
  flags/foreign_names
  flags/global_options
  flags/help/help
  flags/help/help_groups
  flags/lenient_value
  flags/help/man_page
  flags/option_table
  fit/rank_options
  score/chosen_columns
  score/piecewise_predictions
  score/prediction_table
  score/scoring
  score/scoring_flags
  score/several_labels
  data/class_labels
  fit/ranks/data_exchange
  train/flag_needs
  fit/folds
  train/history_file
  train/initial_weights_file
  train/preset
  train/program/memory_limit
  train/program/network_flags
  train/program/param_flags
  train/progress
  fit/ranks/rank_files
  fit/ranks/rank_processes
  fit/ranks
  train/program/saved_model
  fit/stop_signal
  train/program/stopped_training
  train/train
  train/train_options
  train/train_report
  fit/trained_model
  fit/training_checkpoint
  fit/training_data
  fit/training_files
  program)
  add_test(NAME "cli: every flag of train has an effect" COMMAND
    Python3::Interpreter
    ${CMAKE_CURRENT_SOURCE_DIR}/cli/train/program/flag_effects.py
    $<TARGET_FILE:mlp_program>)
  set_tests_properties("cli: every flag of train has an effect" PROPERTIES
    LABELS process)
  include(cli/fit/ranks.cmake)
  include(faults/order_on_disk.cmake)
endif()
