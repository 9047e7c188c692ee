# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
mlp_add_tests(datasets
  arrow/arrow_batch
  arrow/arrow_columns
  arrow/arrow_decimal
  arrow/arrow_fields
  arrow/arrow_parts
  arrow/arrow_reader
  arrow/arrow_stream
  arrow/arrow_text
  arrow/arrow_time
  arrow/arrow_type
  arrow/arrow_values
  arrow/constant_column
  binary/binary_values
  binary/foreign_format
  binary/gzip
  binary/idx
  binary/npy
  binary/npy_header
  csv/column_error
  csv/column_rules
  csv/column_survey
  csv/csv
  csv/csv_dialect
  csv/expansion/csv_expansion
  csv/expansion/expanded_columns
  csv/csv_forms
  csv/csv_look_ahead
  csv/csv_missing
  csv/csv_quotes
  csv/csv_rows
  csv/csv_scanner
  csv/kept_columns
  csv/layout/csv_columns
  csv/layout/csv_first_rows
  csv/layout/csv_header
  csv/layout/csv_layout
  csv/layout/feature_slots
  csv/layout/first_row
  csv/layout/header_decision
  csv/layout/label_column
  csv/layout/row_names
  csv/number_advice
  csv/expansion/text_vector
  libsvm/libsvm
  libsvm/libsvm_piece
  libsvm/libsvm_line
  reading/comma_number
  reading/digits
  reading/folder_columns
  reading/known_columns
  reading/label_spellings
  reading/limits
  reading/piece_release
  reading/piece_sizes
  reading/quoted
  reading/reader_threads
  reading/short_decimal
  reading/source_file
  reading/text_pieces
  reading/text_encoding
  reading/text_file
  reading/text_lines
  reading/trim_blanks
  reading/truth_value
  reading/vector_columns
  column_encoder
  column_features
  load/arrow_files
  load/arrow_format
  load/csv_pieces csv/csv_parts csv/csv_texts
  csv/csv_records
  load/data_files
  load/data_format load/column_needs load/store_wide
  csv/csv_left_out feature_moments
  group_split
  identifiers
  input_column
  label_index
  label_kind
  label_numbers left_out_columns
  missing_texts missing_values
  load/groups
  load/folder_load load/load load/stored_load
  load/plain_files load/standard_input load/store_libsvm load/unpacked_file
  partition
  random_split
  select
  quantile_encoder
  standard_scaler
  stored/feature_file stored/feature_source stored/row_order stored/store_rule
  stored/shuffled_copy stored/sparse_features stored/stored_features
  stratified_split
  load/targets)
