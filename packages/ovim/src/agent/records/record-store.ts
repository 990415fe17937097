import { createHash } from 'node:crypto'
import { ConfigMap } from '@orrery/kinds/core'
import { isObject } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube/client'
import type { Logger } from '@orrery/kube/log'
import { AGENT_LABELS } from '../names.js'
import type { OperationRecord } from './record.js'

const KEY = 'record.json'
const RECORD_LABEL = 'ovim.io/record'
const REPORTED_LABEL = 'ovim.io/reported'

/** Keeps each record in a ConfigMap of the agent's namespace: a new pod finds it there. */
export class RecordStore {
  readonly #client: KubeClient
  readonly #namespace: string
  readonly #log: Logger

  constructor(client: KubeClient, namespace: string, log: Logger) {
    this.#client = client
    this.#namespace = namespace
    this.#log = log
  }

  /** All records, oldest first. */
  async load(signal?: AbortSignal): Promise<OperationRecord[]> {
    const records: OperationRecord[] = []
    const selection = { namespace: this.#namespace, labelSelector: `${RECORD_LABEL}=operation` }
    for await (const page of this.#client.pages(ConfigMap, { ...selection, ...(signal !== undefined && { signal }) })) {
      for (const { metadata, data } of page.items) {
        const record = recordIn({ metadata, data })
        if (record === undefined) this.#log.warn('operation record is damaged and ignored', { name: metadata.name })
        else records.push(record)
      }
    }
    return records.sort((a, b) => (a.finishedAt < b.finishedAt ? -1 : 1))
  }

  async find(operationId: string, signal: AbortSignal): Promise<OperationRecord | undefined> {
    const ref = { namespace: this.#namespace, name: nameOf(operationId) }
    const stored = await this.#client.find(ConfigMap, ref, { signal })
    return stored && recordIn(stored)
  }

  async write(record: OperationRecord): Promise<void> {
    const labels = { ...AGENT_LABELS, [RECORD_LABEL]: 'operation', [REPORTED_LABEL]: String(record.reported) }
    const metadata = { namespace: this.#namespace, name: nameOf(record.operationId), labels }
    await this.#client.apply(ConfigMap, { metadata, data: { [KEY]: JSON.stringify(record) } }, { force: true })
  }

  async markReported(operationId: string): Promise<void> {
    const ref = { namespace: this.#namespace, name: nameOf(operationId) }
    await this.#client.patch(ConfigMap, ref, { metadata: { labels: { [REPORTED_LABEL]: 'true' } } })
  }

  async delete(operationId: string): Promise<void> {
    await this.#client.ensureDeleted(ConfigMap, { namespace: this.#namespace, name: nameOf(operationId) })
  }
}

/** Ids are the hub's, with any characters. */
function nameOf(operationId: string): string {
  return `ovim-operation-${createHash('sha256').update(operationId).digest('hex').slice(0, 32)}`
}

function recordIn({
  metadata,
  data,
}: {
  metadata: ConfigMap['metadata']
  data?: ConfigMap['data'] | undefined
}): OperationRecord | undefined {
  const record = parsed(data?.[KEY])
  return record && { ...record, reported: metadata.labels?.[REPORTED_LABEL] === 'true' }
}

function parsed(text: string | undefined): OperationRecord | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    if (!isObject(value) || typeof value.operationId !== 'string' || !Array.isArray(value.messages)) return undefined
    return value as unknown as OperationRecord
  } catch {
    return undefined
  }
}
