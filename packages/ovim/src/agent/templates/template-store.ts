import { createHash } from 'node:crypto'
import { Secret } from '@orrery/kinds/core'
import type { KubeClient } from '@orrery/kube/client'
import type { Logger } from '@orrery/kube/log'
import { readTemplates, type TemplateRecord } from '../../wire/index.js'
import { AGENT_LABELS } from '../names.js'

const KEY = 'template.json'
const LABEL = 'ovim.io/record'

/** Keeps templates in Secrets of the agent's namespace, since their cloud-init data can hold passwords. */
export class TemplateStore {
  readonly #client: KubeClient
  readonly #namespace: string
  readonly #log: Logger

  constructor(client: KubeClient, namespace: string, log: Logger) {
    this.#client = client
    this.#namespace = namespace
    this.#log = log
  }

  async load(signal: AbortSignal): Promise<TemplateRecord[]> {
    const { items } = await this.#client.list(Secret, {
      namespace: this.#namespace,
      labelSelector: `${LABEL}=template`,
      signal,
    })
    return items.flatMap(({ metadata, data }) => {
      try {
        const text = Buffer.from(data?.[KEY] ?? '', 'base64').toString('utf8')
        return readTemplates({ templates: [JSON.parse(text)] })
      } catch (error) {
        this.#log.warn('stored template is damaged and ignored', { name: metadata.name, error })
        return []
      }
    })
  }

  async write(template: TemplateRecord, signal: AbortSignal): Promise<void> {
    const metadata = {
      namespace: this.#namespace,
      name: objectName(template),
      labels: { ...AGENT_LABELS, [LABEL]: 'template' },
    }
    const data = { [KEY]: Buffer.from(JSON.stringify(template)).toString('base64') }
    await this.#client.apply(Secret, { metadata, type: 'ovim.io/template', data }, { force: true, signal })
  }

  async delete(template: TemplateRecord, signal: AbortSignal): Promise<void> {
    await this.#client.ensureDeleted(Secret, { namespace: this.#namespace, name: objectName(template) }, { signal })
  }
}

/** Identifies a template: organizations may use the same names. */
export function templateKey({ namespace = '', name }: Pick<TemplateRecord, 'namespace' | 'name'>): string {
  return namespace === '' ? name : `${namespace}/${name}`
}

function objectName(template: TemplateRecord): string {
  return `ovim-template-${createHash('sha256').update(templateKey(template)).digest('hex').slice(0, 32)}`
}
