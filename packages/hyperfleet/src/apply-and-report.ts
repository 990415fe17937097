import type { ManifestWork, NewManifestWork } from '@orrery/api'
import { jsonEqual } from '@orrery/kinds/values'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { conditionsOf, type DecideOptions, reportOfFailure } from './results/conditions.js'
import { writeReport, writeResult } from './results/files.js'
import type { AdapterReport, AdapterResult } from './results/report.js'
import { type AppliedWork, applyWork } from './works/apply-work.js'
import type { WatchableWorkClient } from './works/work-client.js'

export interface ApplyAndReportOptions extends DecideOptions {
  /** `maestroWorkClient`, which retries what can succeed later. */
  readonly client: WatchableWorkClient
  /** The work to apply. Its namespace is the consumer: the name of the management cluster. */
  readonly work: NewManifestWork
  /** Data of the report, from the work. Default none. */
  readonly data?: (work: ManifestWork) => Readonly<Record<string, unknown>> | undefined
  /** Wait this long for the agent to apply the work and the resource to become available. Default 0. */
  readonly waitMilliseconds?: number
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
  let report: AdapterReport | undefined
  const apply = async (): Promise<AdapterReport> => {
    const before = report
    report = reportOf(await applyWork(options.work, { client: options.client, signal }), options)
    if (!jsonEqual(report, before)) await writeReport(report, options.reportFile)
    return report
  }
  try {
    let latest = await apply()
    if (!isSettled(latest) && (options.waitMilliseconds ?? 0) > 0) {
      for await (const _ of changesOf(options, clock, signal)) {
        latest = await apply()
        if (isSettled(latest)) break
      }
      // The connection may have been lost: a read shows it, or what has changed meanwhile.
      if (!isSettled(latest) && !signal.aborted) latest = await apply()
    }
    await writeResult(resultOf(latest), options.resultFile)
    return latest
  } catch (error) {
    const failed = reportOfFailure(error)
    await writeReport(failed, options.reportFile)
    await writeResult(resultOf(failed), options.resultFile)
    throw error
  }
}

/** An item for the work as it is, and for each change, until the time to wait is over or the signal is aborted. */
async function* changesOf(
  { client, work, waitMilliseconds = 0 }: ApplyAndReportOptions,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<unknown> {
  const over = new AbortController()
  const end = () => over.abort()
  const cancel = clock.after(waitMilliseconds, end)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  try {
    const { name = '', namespace = '' } = work.metadata
    yield* client.manifestWorks(namespace).watch({ name, signal: over.signal })
  } finally {
    cancel()
    signal.removeEventListener('abort', end)
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
