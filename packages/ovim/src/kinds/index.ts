export { Catalog, type CatalogSpec, type NewCatalog } from './catalog.js'
export { ovimCrds } from './crds.js'
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
} from './names.js'
export {
  type NewOperation,
  Operation,
  type OperationSpec,
  type OperationStatus,
  type OperationTarget,
} from './operation.js'
export { OPERATION_PHASES, type OperationPhase, type OperationSummary } from './operation-summary.js'
export {
  type NewOrganization,
  Organization,
  type OrganizationSpec,
  type OrganizationStatus,
  type OrganizationSubject,
} from './organization.js'
export { type NewTemplate, Template, type TemplateSpec } from './template.js'
export {
  type NewVirtualDataCenter,
  VirtualDataCenter,
  type VirtualDataCenterSpec,
  type VirtualDataCenterStatus,
} from './virtual-data-center.js'
export {
  type NewVirtualMachineRequest,
  VirtualMachineRequest,
  type VirtualMachineRequestSpec,
  type VirtualMachineRequestStatus,
} from './virtual-machine-request.js'
export { type NewZone, Zone, type ZoneAgent, type ZoneStatus } from './zone.js'
