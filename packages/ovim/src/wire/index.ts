export { WireError } from './fields.js'
export type {
  AgentHealth,
  CheckStatus,
  HealthCheck,
  ReportedStatus,
} from './health.js'
export {
  isFinal,
  nanoseconds,
  type OperationResult,
  RESULT_STATUSES,
  readOperation,
  readOperationResult,
  readOperations,
  type WireOperation,
} from './operation.js'
export {
  OPERATION_TYPES,
  type OperationType,
  operationTypeOf,
  publicOperationName,
  QUERY_TYPES,
  type QueryType,
} from './operation-types.js'
export { AGENT_HEADERS, MAX_WAIT_SECONDS, SPOKE_PATHS } from './protocol.js'
export {
  type ClusterMetrics,
  NO_RESOURCES,
  type NodeStatus,
  type ResourceMetrics,
  resourceMetrics,
} from './resource-metrics.js'
export {
  AGENT_STATES,
  type AgentState,
  readStatusReport,
  type StatusReport,
  type VdcPhase,
  type VdcStatus,
  VM_STATUSES,
  type VmState,
  type VmStatus,
} from './status-report.js'
export {
  readTemplateSync,
  readTemplates,
  type TemplateImage,
  type TemplateKernelBoot,
  type TemplateRecord,
  type TemplateRequirements,
  type TemplateSync,
} from './template.js'
export {
  readVdcDeletionMessage,
  readVdcStatusMessage,
  type VdcDeletionMessage,
  type VdcStatusMessage,
} from './vdc-messages.js'
export {
  readVdcCreate,
  readVdcDelete,
  type VdcCreateRequest,
  type VdcDeleteRequest,
  type VdcLimitRange,
  type VdcTarget,
} from './vdc-payloads.js'
export {
  type PowerState,
  readVmCreate,
  readVmTarget,
  readVmUpdate,
  type VmCreateRequest,
  type VmTarget,
  type VmUpdateRequest,
} from './vm-payloads.js'
