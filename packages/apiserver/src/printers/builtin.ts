import type { Column } from '../kinds/resource.js'
import { ROLE_BINDING_COLUMNS, SIGNING_REQUEST_COLUMNS } from './access.js'
import { API_SERVICE_COLUMNS, WEBHOOK_COLUMNS } from './admission.js'
import { AUTOSCALER_COLUMNS } from './autoscaling.js'
import {
  CONFIG_MAP_COLUMNS,
  LEASE_COLUMNS,
  NAMESPACE_COLUMNS,
  NODE_COLUMNS,
  PRIORITY_CLASS_COLUMNS,
  RESOURCE_QUOTA_COLUMNS,
  RUNTIME_CLASS_COLUMNS,
  SECRET_COLUMNS,
} from './cluster.js'
import { AGE, CREATED_AT } from './column.js'
import { CORE_EVENT_COLUMNS, EVENT_COLUMNS } from './events.js'
import { FLOW_SCHEMA_COLUMNS, PRIORITY_LEVEL_COLUMNS } from './flowcontrol.js'
import {
  ENDPOINT_SLICE_COLUMNS,
  ENDPOINTS_COLUMNS,
  INGRESS_CLASS_COLUMNS,
  INGRESS_COLUMNS,
  IP_ADDRESS_COLUMNS,
  NETWORK_POLICY_COLUMNS,
  SERVICE_CIDR_COLUMNS,
  SERVICE_COLUMNS,
} from './network.js'
import { POD_COLUMNS } from './pod.js'
import { RESOURCE_CLAIM_COLUMNS, RESOURCE_SLICE_COLUMNS } from './resource.js'
import {
  CSI_DRIVER_COLUMNS,
  CSI_NODE_COLUMNS,
  PERSISTENT_VOLUME_CLAIM_COLUMNS,
  PERSISTENT_VOLUME_COLUMNS,
  STORAGE_CLASS_COLUMNS,
  VOLUME_ATTACHMENT_COLUMNS,
  VOLUME_ATTRIBUTES_CLASS_COLUMNS,
} from './storage.js'
import {
  CONTROLLER_REVISION_COLUMNS,
  CRON_JOB_COLUMNS,
  DAEMON_SET_COLUMNS,
  DEPLOYMENT_COLUMNS,
  DISRUPTION_BUDGET_COLUMNS,
  JOB_COLUMNS,
  POD_TEMPLATE_COLUMNS,
  REPLICA_SET_COLUMNS,
  REPLICATION_CONTROLLER_COLUMNS,
  STATEFUL_SET_COLUMNS,
} from './workloads.js'

const COLUMNS: ReadonlyMap<string, readonly Column[]> = new Map<string, readonly Column[]>([
  ['/configmaps', CONFIG_MAP_COLUMNS],
  ['/endpoints', ENDPOINTS_COLUMNS],
  ['/events', CORE_EVENT_COLUMNS],
  ['/namespaces', NAMESPACE_COLUMNS],
  ['/nodes', NODE_COLUMNS],
  ['/persistentvolumeclaims', PERSISTENT_VOLUME_CLAIM_COLUMNS],
  ['/persistentvolumes', PERSISTENT_VOLUME_COLUMNS],
  ['/pods', POD_COLUMNS],
  ['/podtemplates', POD_TEMPLATE_COLUMNS],
  ['/replicationcontrollers', REPLICATION_CONTROLLER_COLUMNS],
  ['/resourcequotas', RESOURCE_QUOTA_COLUMNS],
  ['/secrets', SECRET_COLUMNS],
  ['/serviceaccounts', [AGE]],
  ['/services', SERVICE_COLUMNS],
  ['admissionregistration.k8s.io/mutatingwebhookconfigurations', WEBHOOK_COLUMNS],
  ['admissionregistration.k8s.io/validatingwebhookconfigurations', WEBHOOK_COLUMNS],
  ['apiregistration.k8s.io/apiservices', API_SERVICE_COLUMNS],
  ['apps/controllerrevisions', CONTROLLER_REVISION_COLUMNS],
  ['apps/daemonsets', DAEMON_SET_COLUMNS],
  ['apps/deployments', DEPLOYMENT_COLUMNS],
  ['apps/replicasets', REPLICA_SET_COLUMNS],
  ['apps/statefulsets', STATEFUL_SET_COLUMNS],
  ['autoscaling/horizontalpodautoscalers', AUTOSCALER_COLUMNS],
  ['batch/cronjobs', CRON_JOB_COLUMNS],
  ['batch/jobs', JOB_COLUMNS],
  ['certificates.k8s.io/certificatesigningrequests', SIGNING_REQUEST_COLUMNS],
  ['coordination.k8s.io/leases', LEASE_COLUMNS],
  ['discovery.k8s.io/endpointslices', ENDPOINT_SLICE_COLUMNS],
  ['events.k8s.io/events', EVENT_COLUMNS],
  ['flowcontrol.apiserver.k8s.io/flowschemas', FLOW_SCHEMA_COLUMNS],
  ['flowcontrol.apiserver.k8s.io/prioritylevelconfigurations', PRIORITY_LEVEL_COLUMNS],
  ['networking.k8s.io/ingressclasses', INGRESS_CLASS_COLUMNS],
  ['networking.k8s.io/ingresses', INGRESS_COLUMNS],
  ['networking.k8s.io/ipaddresses', IP_ADDRESS_COLUMNS],
  ['networking.k8s.io/networkpolicies', NETWORK_POLICY_COLUMNS],
  ['networking.k8s.io/servicecidrs', SERVICE_CIDR_COLUMNS],
  ['node.k8s.io/runtimeclasses', RUNTIME_CLASS_COLUMNS],
  ['policy/poddisruptionbudgets', DISRUPTION_BUDGET_COLUMNS],
  ['rbac.authorization.k8s.io/clusterrolebindings', ROLE_BINDING_COLUMNS],
  ['rbac.authorization.k8s.io/rolebindings', ROLE_BINDING_COLUMNS],
  ['resource.k8s.io/deviceclasses', [AGE]],
  ['resource.k8s.io/resourceclaims', RESOURCE_CLAIM_COLUMNS],
  ['resource.k8s.io/resourceclaimtemplates', [AGE]],
  ['resource.k8s.io/resourceslices', RESOURCE_SLICE_COLUMNS],
  ['scheduling.k8s.io/priorityclasses', PRIORITY_CLASS_COLUMNS],
  ['storage.k8s.io/csidrivers', CSI_DRIVER_COLUMNS],
  ['storage.k8s.io/csinodes', CSI_NODE_COLUMNS],
  ['storage.k8s.io/storageclasses', STORAGE_CLASS_COLUMNS],
  ['storage.k8s.io/volumeattachments', VOLUME_ATTACHMENT_COLUMNS],
  ['storage.k8s.io/volumeattributesclasses', VOLUME_ATTRIBUTES_CLASS_COLUMNS],
])

const DEFAULT_COLUMNS: readonly Column[] = [CREATED_AT]

/**
 * Returns the columns of a built-in resource (the printers of kubectl). `Name` is the first column of every table and
 * is listed only if it is not the plain name or not first.
 */
export function columnsFor(group: string, plural: string): readonly Column[] {
  return COLUMNS.get(`${group}/${plural}`) ?? DEFAULT_COLUMNS
}
