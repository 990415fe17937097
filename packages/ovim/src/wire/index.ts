export { WireError } from './fields.js'
export {
  type AgentHealth,
  CHECK_STATUSES,
  type CheckStatus,
  type HealthCheck,
  REPORTED_STATUSES,
  type ReportedStatus,
} from './health.js'
export {
  isFinal,
  nanoseconds,
  type OperationResult,
  RESULT_STATUSES,
  type ResultStatus,
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
export { AGENT_HEADERS, MAX_WAIT_SECONDS, type Receipt, SPOKE_PATHS } from './protocol.js'
export {
  type ClusterMetrics,
  NO_RESOURCES,
  type NodeCondition,
  type NodeStatus,
  type ResourceMetrics,
  resourceMetrics,
} from './resource-metrics.js'
export {
  AGENT_STATES,
  type AgentState,
  readStatusReport,
  type StatusReport,
  VDC_PHASES,
  type VdcPhase,
  type VdcStatus,
  VM_STATUSES,
  type VmState,
  type VmStatus,
} from './status-report.js'
export {
  readTemplateSync,
  readTemplates,
  type TemplateCloudInit,
  type TemplateImage,
  type TemplateNetwork,
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
  NETWORK_POLICIES,
  type NetworkPolicyMode,
  organizationNamespace,
  readVdcCreate,
  readVdcDelete,
  type VdcCreateRequest,
  type VdcDeleteRequest,
  type VdcLimitRange,
  type VdcQuota,
  type VdcSubject,
  type VdcTarget,
  workloadNamespace,
} from './vdc-payloads.js'
export {
  POWER_STATES,
  type PowerState,
  readVmCreate,
  readVmTarget,
  readVmUpdate,
  type VmCreateRequest,
  type VmTarget,
  type VmUpdateRequest,
} from './vm-payloads.js'
