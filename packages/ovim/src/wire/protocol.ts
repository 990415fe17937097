/** Headers that identify an agent. The hub compares them with the identity of the credentials. */
export const AGENT_HEADERS = {
  agentId: 'x-agent-id',
  clusterId: 'x-cluster-id',
  zoneId: 'x-zone-id',
  version: 'x-agent-version',
} as const

/** The paths of the hub that agents use. */
export const SPOKE_PATHS = {
  health: '/health',
  status: '/api/v1/spoke/status',
  /** `?agent_id=` is required. `&wait=30` waits up to that many seconds for an operation. 204 if there is none. */
  operations: '/api/v1/spoke/operations',
  result: (operationId: string) => `/api/v1/spoke/operations/${encodeURIComponent(operationId)}/result`,
  vdcStatus: '/api/v1/spoke/vdc/status',
  vdcDeletion: '/api/v1/spoke/vdc/deletion',
  /** The templates that machines of this zone can use: `{templates: [TemplateRecord…]}`. */
  templates: '/api/v1/spoke/templates',
} as const

/** The longest `wait` of a long poll, in seconds. Longer ones are shortened to this. */
export const MAX_WAIT_SECONDS = 60

/** The reply to a status report or a result. */
export interface Receipt {
  readonly status: string
  readonly message: string
}
