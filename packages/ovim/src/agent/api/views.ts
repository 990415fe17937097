import type { KubeClient } from '@orrery/kube/client'
import type { Clock } from '@orrery/kube/clock'
import type { Logger } from '@orrery/kube/log'
import type { MetricRegistry } from '@orrery/kube/metrics'
import type { AgentHealth, StatusReport } from '../../wire/index.js'
import type { AuditLog } from '../audit/audit-log.js'
import type { OvimAgentConfig } from '../config/config.js'
import type { LiveConfig } from '../config/live-config.js'
import type { ConfigUpdateStore } from '../config/update-store.js'
import { ENDPOINTS, type HubClient } from '../hub/hub-client.js'
import type { AgentStateHolder } from '../lifecycle/agent-state.js'
import { reportedStatus } from '../lifecycle/state-machine.js'
import type { Outbox } from '../records/outbox.js'
import type { TemplateManager } from '../templates/manager.js'
import { LocalApi } from './local-api.js'

/** What the local API shows and does. */
export interface LocalApiSources {
  readonly config: LiveConfig
  readonly updates: ConfigUpdateStore
  readonly client: KubeClient
  readonly registry: MetricRegistry
  readonly clock: Clock
  readonly log: Logger
  readonly state: AgentStateHolder
  readonly hub: Pick<HubClient, 'lastContact' | 'lastFailure' | 'breakerOf'>
  readonly templates: Pick<TemplateManager, 'list' | 'clear'>
  readonly outbox: Pick<Outbox, 'size' | 'list'>
  readonly audit: AuditLog
  /** The ids of operations in progress. */
  readonly running: () => readonly string[]
  readonly health: () => AgentHealth
  readonly report: () => StatusReport
  readonly readiness: () => readonly string[]
  readonly register: () => void
}

export function localApiOf(sources: LocalApiSources): LocalApi {
  const { config, client, registry, clock, log, state, health, report, readiness } = sources
  const { api, agentId } = config.current
  return new LocalApi({
    client,
    address: api.address,
    port: api.port,
    log,
    metrics: registry,
    readiness,
    open: {
      '/health': () => ({
        status: reportedStatus(state.state),
        timestamp: clock.now().toISOString(),
        agent_id: agentId,
      }),
      '/health/status': () => ({ state: state.state, ...health() }),
    },
    views: { '/status': report, ...debugViews(sources) },
    actions: actionsOf(sources),
  })
}

function debugViews({ config, running, outbox, templates, audit, hub }: LocalApiSources): Record<string, () => object> {
  return {
    '/debug/config': () => redacted(config.current),
    '/debug/operations': () => ({ running: running(), unreported: outbox.size, records: outbox.list() }),
    // The cloud-init data of a template can hold passwords.
    '/debug/templates': () => ({ templates: templates.list().map(({ cloud_init: _, ...rest }) => rest) }),
    '/debug/audit': () => ({ entries: audit.list() }),
    '/debug/hub': () => ({
      endpoint: config.current.hub.endpoint,
      lastContact: hub.lastContact?.toISOString() ?? null,
      lastFailure: hub.lastFailure,
      breakers: Object.fromEntries(ENDPOINTS.map((endpoint) => [endpoint, hub.breakerOf(endpoint).state])),
    }),
  }
}

/** What a person can do when the agent does not recover by itself. */
function actionsOf(sources: LocalApiSources): Record<string, () => Promise<object>> {
  const { config, updates, templates, audit, register } = sources
  const acted = (action: string) => {
    audit.record({ kind: 'local-api', action, target: config.current.agentId, outcome: 'completed' })
    return { status: 'ok' }
  }
  return {
    '/debug/register': async () => {
      register()
      return acted('register')
    },
    '/debug/cache/clear': async () => {
      await templates.clear(new AbortController().signal)
      return acted('cache-clear')
    },
    '/debug/config/reset': async () => {
      await updates.write({})
      config.replace({})
      return acted('config-reset')
    },
  }
}

function redacted(config: OvimAgentConfig): object {
  return { ...config, hub: { ...config.hub, token: config.hub.token === '' ? '' : '[redacted]' } }
}
