import { readFileSync } from 'node:fs'
import { silentLogger } from '@orrery/kube/log'
import type { Adapter } from '../config/load.js'
import { parseEvent } from '../run/event.js'
import { execute } from '../run/execute.js'
import { DryApi, parseResponses } from './dry-api.js'
import { DryObjects } from './dry-objects.js'
import { DryWorks, parseDiscovered, type RecordedOperation } from './dry-works.js'
import { type Trace, traceOf } from './trace.js'

export interface DryRunOptions {
  readonly adapter: Adapter
  /** A file with a CloudEvent. */
  readonly eventFile: string
  /** A file with responses of the HyperFleet API. Default: every request gets an empty object. */
  readonly responsesFile?: string
  /** A file with works and objects by name, as Maestro and the Kubernetes API would return them. Default: there are none. */
  readonly discoveryFile?: string
}

/** Handles an event without sending anything, and returns what would happen. */
export async function dryRun(options: DryRunOptions): Promise<Trace> {
  const { adapter, eventFile, responsesFile, discoveryFile } = options
  const read = (file: string) => readFileSync(file, 'utf8')
  const event = parseEvent(read(eventFile))
  const api = new DryApi(responsesFile === undefined ? [] : parseResponses(read(responsesFile), responsesFile))
  const discovered = discoveryFile === undefined ? {} : parseDiscovered(read(discoveryFile), discoveryFile)
  const operations: RecordedOperation[] = []
  const result = await execute(event, {
    adapter,
    client: new DryWorks(discovered, operations),
    objects: new DryObjects(Object.values(discovered), operations),
    api,
    log: silentLogger,
    signal: new AbortController().signal,
  })
  return traceOf(event, result, api.requests, operations)
}
