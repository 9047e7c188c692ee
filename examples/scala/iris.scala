// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
//
// Trains, scores and saves with the jar of mlp alone, without Python:
//   spark-shell --jars mlp-spark-1.0.0_2.13.jar < examples/scala/iris.scala

import io.mlp.spark.{NativeMlpClassifier, NativeMlpModel, ScoreUdf}
import org.apache.spark.ml.classification.MultilayerPerceptronClassificationModel
import org.apache.spark.ml.feature.{StringIndexer, VectorAssembler}
import org.apache.spark.ml.{Pipeline, PipelineModel}

val iris = spark.read.option("header", true).option("inferSchema", true).csv("data/iris.csv")
val assembler = new VectorAssembler().setInputCols(iris.columns.take(4)).setOutputCol("features")
val indexer = new StringIndexer().setInputCol("species").setOutputCol("label")
val network = new NativeMlpClassifier().setLayers(Array(4, 5, 4, 3)).setSeed(1234)
val model = new Pipeline().setStages(Array(assembler, indexer, network)).fit(iris)

val right = model.transform(iris).where("prediction = label").count()
println(s"right $right of ${iris.count()}")

val folder = java.nio.file.Files.createTempDirectory("mlp").toString
model.write.overwrite().save(s"$folder/pipeline")
println(s"loaded ${PipelineModel.load(s"$folder/pipeline").stages.length} stages")

// A cluster without the jar loads Spark's own model.
val trained = model.stages.last.asInstanceOf[NativeMlpModel]
trained.toSpark.write.overwrite().save(s"$folder/spark")
val ofSpark = MultilayerPerceptronClassificationModel.load(s"$folder/spark")
val rows = assembler.transform(iris)
val ours = NativeMlpModel.fromSpark(ofSpark).transform(rows).select("prediction")
val theirs = ofSpark.transform(rows).select("prediction")
println(s"Spark predicts the same: ${ours.exceptAll(theirs).isEmpty}")

val path = sys.env.getOrElse("MLP_MODEL", "")
if (path.nonEmpty) {
  // A model file of the program or of Python, as a function of SQL.
  ScoreUdf.register(spark, "score", path)
  assembler.transform(iris).createOrReplaceTempView("flowers")
  println("scored " + spark.sql("SELECT sum(score(features)) FROM flowers").first.getDouble(0))
}
System.exit(0)
