import type { ManifestWork, NewManifestWork } from '@orrery/api'
import { jsonEqual } from '@orrery/kinds/values'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { pause } from '@orrery/kube/process'
import { conditionsOf, type DecideOptions, reportOfFailure } from './results/conditions.js'
import { writeReport, writeResult } from './results/files.js'
import type { AdapterReport, AdapterResult } from './results/report.js'
import { type AppliedWork, applyWork } from './works/apply-work.js'
import type { WorkClient } from './works/work-client.js'

export interface ApplyAndReportOptions extends DecideOptions {
  /** `maestroWorkClient`, which retries what can succeed later. */
  readonly client: WorkClient
  /** The work to apply. Its namespace is the consumer: the name of the management cluster. */
  readonly work: NewManifestWork
  /** Data of the report, from the work. Default none. */
  readonly data?: (work: ManifestWork) => Readonly<Record<string, unknown>> | undefined
  /** Wait this long for the agent to apply the work and the resource to become available. Default 0. */
  readonly waitMilliseconds?: number
  /** The delay between two reads of the work while waiting. Default 1 second. */
  readonly pollMilliseconds?: number
  /** Default `/results/adapter-report.json`. */
  readonly reportFile?: string
  /** Default `/results/adapter-result.json`. */
  readonly resultFile?: string
  readonly clock?: Clock
  readonly signal?: AbortSignal
}

/**
 * Applies a work, decides the conditions `Applied`, `Available` and `Health`, and writes both results. A failure is
 * written as well, then thrown.
 */
export async function applyAndReport(options: ApplyAndReportOptions): Promise<AdapterReport> {
  const { clock = systemClock, signal = new AbortController().signal } = options
  const context = { client: options.client, signal }
  const deadline = clock.elapsed() + (options.waitMilliseconds ?? 0)
  let written: AdapterReport | undefined
  try {
    for (;;) {
      const applied = await applyWork(options.work, context)
      const report = reportOf(applied, options)
      if (!jsonEqual(report, written)) await writeReport(report, options.reportFile)
      written = report
      if (isSettled(report) || clock.elapsed() >= deadline || signal.aborted) {
        await writeResult(resultOf(report), options.resultFile)
        return report
      }
      await pause(clock, Math.min(options.pollMilliseconds ?? 1_000, deadline - clock.elapsed()), signal)
    }
  } catch (error) {
    const report = reportOfFailure(error)
    await writeReport(report, options.reportFile)
    await writeResult(resultOf(report), options.resultFile)
    throw error
  }
}

function reportOf(applied: AppliedWork, options: ApplyAndReportOptions): AdapterReport {
  const conditions = conditionsOf(applied, options)
  const data = options.data?.(applied.work)
  return data === undefined ? { conditions } : { conditions, data }
}

/** Available, or failed to apply. */
function isSettled(report: AdapterReport): boolean {
  const status = (wanted: string) => report.conditions.find(({ type }) => type === wanted)?.status
  return status('Available') === 'True' || status('Health') === 'False'
}

/** The status reporter ends when it has read a result, so it is written last, and once. */
function resultOf(report: AdapterReport): AdapterResult {
  const health = report.conditions.find(({ type }) => type === 'Health')
  const available = report.conditions.find(({ type }) => type === 'Available')
  const isHealthy = health?.status === 'True'
  const { reason = '', message = '' } = (isHealthy ? available : health) ?? {}
  return { status: isHealthy ? 'success' : 'failure', reason, message, details: report }
}
