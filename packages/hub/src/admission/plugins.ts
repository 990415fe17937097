import { HUB_WEBHOOKS, type WebhookPhase } from '@orrery/api'
import type { KubeObject } from '@orrery/kinds'
import { StatusError } from '@orrery/kinds/values'
import type { Clock, KubeClient } from '@orrery/kube'
import { applyEdits } from './edit.js'
import { type Inquiries, inquiriesOf } from './inquiries.js'
import type { AdmissionRule } from './rule.js'
import { type AdmissionOptions, admissionRules } from './rules.js'
import type { Requester, Write } from './write.js'

/** A write on its way to the store of an embedded API server. */
export interface PluginRequest {
  readonly operation: string
  readonly resource: { readonly group: string; readonly plural: string }
  readonly subresource: string
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
  readonly identity: Requester
}

/** A step of admission in an embedded API server. */
export interface Plugin {
  readonly name: string
  readonly mutate?: (request: PluginRequest) => void
  readonly validate?: (request: PluginRequest) => void | Promise<void>
}

/** The rules of a hub, for the embedded API server that is the hub. */
export interface HubAdmission {
  /** For the server's option `admission`. */
  readonly plugins: (context: { readonly clock: Clock }) => readonly Plugin[]
  /** Hands over the client to ask about rights, once the server has started. Writes that need an answer wait for it. */
  readonly askBy: (client: KubeClient) => void
}

/** The rules of a hub as plugins of an embedded API server. */
export function hubAdmission(options: AdmissionOptions = {}): HubAdmission {
  let askBy: HubAdmission['askBy'] = () => undefined
  const client = new Promise<KubeClient>((resolve) => {
    askBy = resolve
  })
  const inquiries = inquiriesOf(client)
  return {
    askBy,
    plugins: ({ clock }) => admissionRules({ clock, ...options }).map((rule) => pluginOf(rule, inquiries)),
  }
}

function pluginOf(rule: AdmissionRule, inquiries: Inquiries): Plugin {
  const { name } = rule
  if ('mutate' in rule) {
    const mutate = (request: PluginRequest) => {
      const write = writeOf(rule, request)
      if (write === undefined) return
      try {
        applyEdits(write.object, rule.mutate(write))
      } catch (error) {
        throw asWebhook('mutate', rule, error)
      }
    }
    return { name, mutate }
  }
  const refuse = (error: unknown) => {
    throw asWebhook('validate', rule, error)
  }
  const validate = (request: PluginRequest) => {
    const write = writeOf(rule, request)
    if (write === undefined) return undefined
    try {
      return rule.validate(write, inquiries)?.catch(refuse)
    } catch (error) {
      return refuse(error)
    }
  }
  return { name, validate }
}

/** A refusal in the words that it has on a hub with webhooks: clients need not tell the two apart. */
function asWebhook(phase: WebhookPhase, { kind }: AdmissionRule, error: unknown): unknown {
  const webhook = HUB_WEBHOOKS.find((one) => one.phase === phase && one.kind === kind)
  if (webhook === undefined || !(error instanceof StatusError)) return error
  const message = `admission webhook ${JSON.stringify(webhook.name)} denied the request: ${error.message}`
  return new StatusError({ ...error.status, message })
}

/** The write that a request is about; undefined when it is none of the rule's. */
function writeOf({ kind }: AdmissionRule, request: PluginRequest): Write | undefined {
  const { operation, resource, subresource, object, oldObject, identity } = request
  if (resource.plural !== kind.plural || resource.group !== kind.group || subresource !== '') return undefined
  if ((operation !== 'CREATE' && operation !== 'UPDATE') || object === undefined) return undefined
  return { object, oldObject, user: identity }
}
