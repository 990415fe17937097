// Measures the client runtime against its limits, in one run on one machine. See ../README.md.
import { describeResult, isMissed, table } from '../apiserver/report.mjs'
import { measureController } from './controller.mjs'
import { measureImport } from './import.mjs'
import { measureInformer } from './informer.mjs'

const results = []
for (const measure of [measureImport, measureInformer, measureController]) {
  for (const result of await measure()) {
    console.error(describeResult(result))
    results.push(result)
  }
}
console.log(table(results))
process.exitCode = results.some(isMissed) ? 1 : 0
