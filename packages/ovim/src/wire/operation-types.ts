/** The operations that a hub sends to an agent. */
export const OPERATION_TYPES = [
  'VMCreate',
  'VMDelete',
  'VMStart',
  'VMStop',
  'VMRestart',
  'VMPause',
  'VMUnpause',
  'VMUpdate',
  'VDCCreate',
  'VDCUpdate',
  'VDCDelete',
  'TemplateSync',
  'ConfigUpdate',
] as const

export type OperationType = (typeof OPERATION_TYPES)[number]

/** Questions of the public implementation. They change nothing and have no other name. */
export const QUERY_TYPES = ['get_vm_status', 'list_vms', 'get_health', 'get_metrics'] as const

export type QueryType = (typeof QUERY_TYPES)[number]

/** The names of the public implementation. Where it has none, the name follows its pattern. */
const PUBLIC_NAMES: Readonly<Record<OperationType, string>> = {
  VMCreate: 'create_vm',
  VMDelete: 'delete_vm',
  VMStart: 'start_vm',
  VMStop: 'stop_vm',
  VMRestart: 'restart_vm',
  VMPause: 'pause_vm',
  VMUnpause: 'unpause_vm',
  VMUpdate: 'update_vm',
  VDCCreate: 'create_vdc',
  VDCUpdate: 'update_vdc',
  VDCDelete: 'delete_vdc',
  TemplateSync: 'sync_templates',
  ConfigUpdate: 'update_config',
}

const TYPES: ReadonlyMap<string, OperationType | QueryType> = new Map<string, OperationType | QueryType>([
  ...OPERATION_TYPES.flatMap((type): [string, OperationType][] => [
    [type, type],
    [PUBLIC_NAMES[type], type],
  ]),
  ...QUERY_TYPES.map((type): [string, QueryType] => [type, type]),
])

/** The type that either name means; undefined if nothing has that name. */
export function operationTypeOf(name: string): OperationType | QueryType | undefined {
  return TYPES.get(name)
}

/** The name that the public implementation uses: `create_vm` for `VMCreate`. */
export function publicOperationName(type: OperationType): string {
  return PUBLIC_NAMES[type]
}
