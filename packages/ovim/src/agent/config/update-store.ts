import { ConfigMap } from '@orrery/kinds/core'
import { isObject } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube/client'
import { AGENT_LABELS } from '../names.js'

const NAME = 'ovim-agent-config'
const KEY = 'updates.json'

/** Keeps what ConfigUpdate operations have set in a ConfigMap, so that a new pod has it too. */
export class ConfigUpdateStore {
  readonly #client: KubeClient
  readonly #namespace: string

  constructor(client: KubeClient, namespace: string) {
    this.#client = client
    this.#namespace = namespace
  }

  /** Empty if nothing was set, or if the text was damaged. */
  async read(): Promise<Readonly<Record<string, unknown>>> {
    const stored = await this.#client.find(ConfigMap, { namespace: this.#namespace, name: NAME })
    try {
      const updates: unknown = JSON.parse(stored?.data?.[KEY] ?? '{}')
      return isObject(updates) ? updates : {}
    } catch {
      return {}
    }
  }

  async write(updates: Readonly<Record<string, unknown>>): Promise<void> {
    const metadata = { namespace: this.#namespace, name: NAME, labels: AGENT_LABELS }
    await this.#client.apply(ConfigMap, { metadata, data: { [KEY]: JSON.stringify(updates) } }, { force: true })
  }
}
