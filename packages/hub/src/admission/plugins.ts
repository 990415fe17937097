import { HUB_WEBHOOKS, type WebhookPhase } from '@orrery/api'
import type { KubeObject } from '@orrery/kinds'
import { StatusError } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import { applyEdits } from './edit.js'
import { type HubQueries, hubQueries } from './hub-queries.js'
import type { AdmissionRule } from './rule.js'
import { type AdmissionOptions, admissionRules } from './rules.js'
import type { UserInfo, Write } from './write.js'

/** An admission request in an embedded API server. */
export interface PluginRequest {
  readonly operation: string
  readonly resource: { readonly group: string; readonly plural: string }
  readonly subresource: string
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
  readonly identity: UserInfo
}

/** An admission plugin of an embedded API server. */
export interface Plugin {
  readonly name: string
  readonly mutate?: (request: PluginRequest) => void
  readonly validate?: (request: PluginRequest) => void | Promise<void>
}

/** The admission rules of a hub, for an embedded API server. */
export interface HubAdmission {
  /** For the server's option `admission`. */
  readonly plugins: (context: { readonly clock: Clock }) => readonly Plugin[]
  /** Sets the client for access reviews, once the server has started. Requests that need one wait for it. */
  readonly useClient: (client: KubeClient) => void
}

/** The admission rules of a hub as plugins of an embedded API server. */
export function hubAdmission(options: AdmissionOptions = {}): HubAdmission {
  let useClient: HubAdmission['useClient'] = () => undefined
  const client = new Promise<KubeClient>((resolve) => {
    useClient = resolve
  })
  const queries = hubQueries(client)
  return {
    useClient,
    plugins: ({ clock }) => admissionRules({ clock, ...options }).map((rule) => pluginOf(rule, queries)),
  }
}

function pluginOf(rule: AdmissionRule, queries: HubQueries): Plugin {
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
      return rule.validate(write, queries)?.catch(refuse)
    } catch (error) {
      return refuse(error)
    }
  }
  return { name, validate }
}

/** The message that the same error has on a hub with webhooks, so that clients see no difference. */
function asWebhook(phase: WebhookPhase, { kind }: AdmissionRule, error: unknown): unknown {
  const webhook = HUB_WEBHOOKS.find((one) => one.phase === phase && one.kind === kind)
  if (webhook === undefined || !(error instanceof StatusError)) return error
  const message = `admission webhook ${JSON.stringify(webhook.name)} denied the request: ${error.message}`
  return new StatusError({ ...error.status, message })
}

/** The write of a request; undefined if the rule does not apply to it. */
function writeOf({ kind, subresources = [] }: AdmissionRule, request: PluginRequest): Write | undefined {
  const { operation, resource, subresource, object, oldObject, identity } = request
  if (resource.plural !== kind.plural || resource.group !== kind.group) return undefined
  if (subresource !== '' && !subresources.includes(subresource)) return undefined
  if ((operation !== 'CREATE' && operation !== 'UPDATE') || object === undefined) return undefined
  return { object, oldObject, subresource, user: identity }
}
