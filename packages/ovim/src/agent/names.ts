/** The field manager of everything the agent writes. */
export const FIELD_MANAGER = 'ovim-spoke-agent'

/** Labels of the agent's own objects in its namespace. */
export const AGENT_LABELS = { 'app.kubernetes.io/managed-by': FIELD_MANAGER } as const

/** Labels of machines and their objects. */
export const VM_LABELS = { managedBy: 'app.kubernetes.io/managed-by', vmName: 'ovim.io/vm-name' } as const
export const MANAGED_BY_OVIM = 'ovim'

export const VM_ANNOTATIONS = {
  template: 'ovim.io/template',
  /** The operation that created the machine. */
  createOperation: 'ovim.io/create-operation',
  /** The last operation that was executed for the machine. */
  lastOperation: 'ovim.io/operation',
  /** `{operation id}/{uid of the VirtualMachineInstance}`: the instance that the operation replaces. */
  restart: 'ovim.io/restart',
} as const

/** Labels of the namespaces of data centers and organizations. */
export const NAMESPACE_LABELS = {
  vdc: 'ovim.io/vdc',
  organization: 'ovim.io/organization',
  type: 'ovim.io/namespace-type',
  managedBy: 'ovim.io/managed-by',
  zoneId: 'ovim.io/zone-id',
  clusterId: 'ovim.io/cluster-id',
} as const
export const WORKLOAD = 'workload'
export const ORGANIZATION = 'organization'
export const SPOKE_AGENT = 'spoke-agent'
