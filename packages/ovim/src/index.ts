export { Catalog, type CatalogSpec, type NewCatalog } from './kinds/catalog.js'
export { ovimCrds } from './kinds/crds.js'
export {
  MANAGED_BY_LABEL,
  MAX_ORGANIZATION_NAME,
  MAX_VDC_NAME,
  ORGANIZATION_FINALIZER,
  ORGANIZATION_LABEL,
  OVIM_GROUP,
  organizationOf,
  REQUESTED_BY_ANNOTATION,
  SEQUENCE_LABEL,
  SYSTEM_NAMESPACE,
  VDC_FINALIZER,
  VM_FINALIZER,
  ZONE_LABEL,
} from './kinds/names.js'
export {
  type NewOperation,
  Operation,
  type OperationSpec,
  type OperationStatus,
  type OperationTarget,
} from './kinds/operation.js'
export { OPERATION_PHASES, type OperationPhase, type OperationSummary } from './kinds/operation-summary.js'
export {
  type NewOrganization,
  Organization,
  type OrganizationSpec,
  type OrganizationStatus,
  type OrganizationSubject,
  type ZoneQuota,
} from './kinds/organization.js'
export { type NewTemplate, Template, type TemplateSpec } from './kinds/template.js'
export {
  type NewVirtualDataCenter,
  VirtualDataCenter,
  type VirtualDataCenterSpec,
  type VirtualDataCenterStatus,
} from './kinds/virtual-data-center.js'
export {
  type NewVirtualMachineRequest,
  VirtualMachineRequest,
  type VirtualMachineRequestSpec,
  type VirtualMachineRequestStatus,
} from './kinds/virtual-machine-request.js'
export { type NewZone, Zone, type ZoneAgent, type ZoneStatus } from './kinds/zone.js'
export { WireError } from './wire/fields.js'
export {
  type AgentHealth,
  CHECK_STATUSES,
  type CheckStatus,
  type HealthCheck,
  REPORTED_STATUSES,
  type ReportedStatus,
} from './wire/health.js'
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
} from './wire/operation.js'
export {
  OPERATION_TYPES,
  type OperationType,
  operationTypeOf,
  publicOperationName,
  QUERY_TYPES,
  type QueryType,
} from './wire/operation-types.js'
export { AGENT_HEADERS, MAX_WAIT_SECONDS, type Receipt, SPOKE_PATHS } from './wire/protocol.js'
export {
  type ClusterMetrics,
  NO_RESOURCES,
  type NodeCondition,
  type NodeStatus,
  type ResourceMetrics,
  resourceMetrics,
} from './wire/resource-metrics.js'
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
} from './wire/status-report.js'
export {
  readTemplateSync,
  readTemplates,
  type TemplateCloudInit,
  type TemplateImage,
  type TemplateKernelBoot,
  type TemplateNetwork,
  type TemplateRecord,
  type TemplateRequirements,
  type TemplateSync,
} from './wire/template.js'
export {
  readVdcDeletionMessage,
  readVdcStatusMessage,
  type VdcDeletionMessage,
  type VdcStatusMessage,
} from './wire/vdc-messages.js'
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
} from './wire/vdc-payloads.js'
export {
  POWER_STATES,
  type PowerState,
  readVmCreate,
  readVmTarget,
  readVmUpdate,
  type VmCreateRequest,
  type VmTarget,
  type VmUpdateRequest,
} from './wire/vm-payloads.js'
