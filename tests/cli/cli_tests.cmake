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
  device/device_choice
  flags/backend_choice
  flags/command_line
  flags/completion
  flags/csv_flags
  flags/device_request
  flags/encoding_flags
  flags/flag_reader
  flags/flag_text
  flags/foreign_names
  flags/global_options
  flags/help
  flags/help_groups
  flags/lenient_value
  flags/man_page
  flags/option_table
  flags/rank_options
  score/chosen_columns
  score/piecewise_predictions
  score/prediction_table
  score/scoring
  score/scoring_flags
  score/several_labels
  train/data/training_labels
  train/ranks/data_exchange
  train/flag_needs
  train/folds
  train/history_file
  train/initial_weights_file
  train/preset
  train/program/memory_limit
  train/program/network_flags
  train/program/param_flags
  train/progress
  train/ranks/rank_files
  train/ranks/rank_processes
  train/ranks
  train/program/saved_model
  train/stop_signal
  train/program/stopped_training
  train/train
  train/train_options
  train/train_report
  train/trained_model
  train/training_checkpoint
  train/training_data
  train/training_files
  program)
  add_test(NAME "cli: every flag of train has an effect" COMMAND
    Python3::Interpreter
    ${CMAKE_CURRENT_SOURCE_DIR}/cli/train/program/flag_effects.py
    $<TARGET_FILE:mlp_program>)
  set_tests_properties("cli: every flag of train has an effect" PROPERTIES
    LABELS process)
  include(cli/train/ranks.cmake)
  include(faults/order_on_disk.cmake)
endif()
