# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0

# The tests of the program's sources.
if(TARGET mlp_program)
  mlp_add_tests(cli
  console/exit_code
  console/json_output
  console/output_failures
  console/shell_word
  console/training_notes
  data/class_labels
  data/data_file
  data/data_options
  describe/doctor
  describe/inspect
  device/device_choice
  fit/fit
  fit/folds/folds
  fit/folds/quality
  fit/folds/selection
  fit/rank_options
  fit/ranks
  fit/ranks/rank_data
  fit/ranks/rank_files
  fit/ranks/rank_processes
  fit/stop_signal
  fit/trained_model
  fit/training_checkpoint
  fit/training_data
  fit/training_files
  flags/backend_choice
  flags/command_line
  flags/device_request
  flags/flag_reader
  flags/foreign_names
  flags/global_options
  flags/help/completion
  flags/help/flag_text
  flags/help/help
  flags/help/help_groups
  flags/help/man_page
  flags/lenient_value
  flags/option_table
  score/chosen_columns
  score/piecewise_predictions
  score/prediction_table
  score/scoring
  score/scoring_flags
  score/several_labels
  train/flag_needs
  train/history_file
  train/initial_weights_file
  train/preset
  train/program/memory_limit
  train/program/network_flags
  train/program/param_flags
  train/program/saved_model
  train/program/stored_data
  train/program/stopped_training
  train/progress
  train/train
  train/train_flags
  train/train_report
  program)
  add_test(NAME "cli: every flag of train has an effect" COMMAND
    Python3::Interpreter
    ${CMAKE_CURRENT_SOURCE_DIR}/cli/train/program/flag_effects.py
    $<TARGET_FILE:mlp_program>)
  set_tests_properties("cli: every flag of train has an effect" PROPERTIES
    LABELS process)
  add_test(NAME "cli: data larger than a control group" COMMAND
    Python3::Interpreter
    ${CMAKE_CURRENT_SOURCE_DIR}/cli/train/program/large_data.py
    $<TARGET_FILE:mlp_program> --folder ${CMAKE_CURRENT_BINARY_DIR})
  set_tests_properties("cli: data larger than a control group" PROPERTIES
    LABELS process SKIP_REGULAR_EXPRESSION "test skipped:" TIMEOUT 900
    PROCESSORS 2)
  # It needs 13 GB of the disk.
  add_test(NAME "cli: 8 GB of data in a control group of 1 GB" COMMAND
    Python3::Interpreter
    ${CMAKE_CURRENT_SOURCE_DIR}/cli/train/program/large_data.py
    $<TARGET_FILE:mlp_program> --size 8 --limit 1000
    --folder ${CMAKE_CURRENT_BINARY_DIR})
  set_tests_properties("cli: 8 GB of data in a control group of 1 GB" PROPERTIES
    LABELS "process;rest" SKIP_REGULAR_EXPRESSION "test skipped:" TIMEOUT 7200
    RUN_SERIAL ON)
  set(site_packages "")
  if(TARGET mlp_arrow_plugin)
    cmake_path(GET MLP_PYARROW_FOLDER PARENT_PATH site_packages)
    add_test(NAME "cli: Parquet and Arrow files train as CSV files do" COMMAND
      Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/cli/data/parquet_test.py
      $<TARGET_FILE:mlp_program> ${site_packages})
    set_tests_properties("cli: Parquet and Arrow files train as CSV files do"
      PROPERTIES LABELS process TIMEOUT 300)
  endif()
  add_test(NAME "cli: folders name=value give columns" COMMAND
    Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/cli/data/folders_test.py
    $<TARGET_FILE:mlp_program> ${site_packages})
  set_tests_properties("cli: folders name=value give columns" PROPERTIES
    LABELS process TIMEOUT 300)
  include(cli/fit/ranks.cmake)
  include(faults/order_on_disk.cmake)
endif()
