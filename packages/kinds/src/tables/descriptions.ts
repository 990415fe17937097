/** The descriptions of the built-in kinds in `kubectl explain`. */
const KINDS: Readonly<Record<string, string>> = {
  APIService: 'APIService registers a group version that this or another API server serves.',
  Binding: 'Binding assigns a pod to a node.',
  CSIDriver: 'CSIDriver describes how Kubernetes uses a CSI storage driver.',
  CSINode: 'CSINode lists the CSI storage drivers of a node.',
  CSIStorageCapacity: 'CSIStorageCapacity reports the available capacity of a storage class in a part of the cluster.',
  CertificateSigningRequest: 'CertificateSigningRequest requests a certificate from a signer.',
  ClusterRole: 'ClusterRole is a set of permissions that can be granted in the whole cluster or in a namespace.',
  ClusterRoleBinding:
    'ClusterRoleBinding grants a ClusterRole to users, groups or service accounts in the whole cluster.',
  ConfigMap: 'ConfigMap holds configuration data that is not confidential.',
  ControllerRevision: "ControllerRevision is a snapshot of a workload's state, used for rollbacks.",
  CronJob: 'CronJob runs Jobs on a schedule.',
  CustomResourceDefinition: 'CustomResourceDefinition adds a custom resource to the API.',
  DaemonSet: 'DaemonSet runs a pod on every node, or on selected nodes.',
  DeleteOptions: 'DeleteOptions configures a deletion.',
  Deployment: 'Deployment runs a number of identical pods and rolls out changes of their template gradually.',
  DeviceClass: 'DeviceClass selects devices with CEL expressions and configures them. ResourceClaims refer to it.',
  EndpointSlice: 'EndpointSlice lists some of the endpoints of a Service.',
  Endpoints: 'Endpoints lists the endpoints of a Service. Deprecated: use EndpointSlice.',
  Event: 'Event is a report of something that happened to an object.',
  Eviction: 'Eviction requests the removal of a pod, within its disruption budgets.',
  HorizontalPodAutoscaler: 'HorizontalPodAutoscaler sets the number of replicas of a workload to meet metric targets.',
  IPAddress: 'IPAddress is an address that a Service uses.',
  Ingress: 'Ingress routes HTTP traffic from outside the cluster to Services, by host and path.',
  IngressClass: 'IngressClass is an implementation of Ingress.',
  Job: 'Job runs pods until a number of them have succeeded.',
  Lease: 'Lease is a lock with an expiry, for example for leader election.',
  LimitRange: 'LimitRange sets limits and defaults for the resources of each object in a namespace.',
  LocalSubjectAccessReview: 'LocalSubjectAccessReview checks whether a user may perform an action in one namespace.',
  MutatingWebhookConfiguration:
    'MutatingWebhookConfiguration registers webhooks that may change objects before they are stored.',
  Namespace: 'Namespace is a scope for names.',
  NetworkPolicy: 'NetworkPolicy sets which traffic pods may send and receive.',
  Node: 'Node is a machine that runs pods.',
  PersistentVolume: 'PersistentVolume is a unit of storage in the cluster.',
  PersistentVolumeClaim: 'PersistentVolumeClaim requests storage.',
  Pod: 'Pod is a group of containers that run together on one node.',
  PodDisruptionBudget: 'PodDisruptionBudget limits how many pods of a set may be disrupted at a time.',
  PodTemplate: 'PodTemplate is a template for pods.',
  PriorityClass: 'PriorityClass gives a pod priority a name.',
  ReplicaSet: 'ReplicaSet keeps a number of identical pods running.',
  ReplicationController: 'ReplicationController keeps a number of identical pods running. Deployment replaces it.',
  ResourceClaim: 'ResourceClaim requests devices. Pods that use the claim run where its devices are.',
  ResourceClaimTemplate: 'ResourceClaimTemplate is a template for the ResourceClaims of pods.',
  ResourceQuota: 'ResourceQuota limits the total resources of a namespace.',
  ResourceSlice: 'ResourceSlice lists devices that a driver offers, on one node or on several.',
  Role: 'Role is a set of permissions in a namespace.',
  RoleBinding: 'RoleBinding grants a role to users, groups or service accounts in a namespace.',
  RuntimeClass: 'RuntimeClass is a container runtime configuration.',
  Scale: 'Scale is the number of replicas of a workload.',
  Secret: 'Secret holds confidential data.',
  SelfSubjectAccessReview: 'SelfSubjectAccessReview checks whether the requesting user may perform an action.',
  SelfSubjectReview: 'SelfSubjectReview returns the identity of the requesting user.',
  SelfSubjectRulesReview: 'SelfSubjectRulesReview lists the permissions of the requesting user in a namespace.',
  Service: 'Service is one address for a set of pods.',
  ServiceAccount: 'ServiceAccount is an identity for processes in pods.',
  ServiceCIDR: 'ServiceCIDR is a range of addresses for Services.',
  StatefulSet: 'StatefulSet runs pods with stable names and their own storage.',
  Status: 'Status is the result of a request.',
  StorageClass: 'StorageClass is a class of storage that claims can request.',
  SubjectAccessReview: 'SubjectAccessReview checks whether a user may perform an action.',
  TokenRequest: 'TokenRequest requests a token of a service account.',
  TokenReview: 'TokenReview checks whether a token is valid, and returns its user.',
  ValidatingWebhookConfiguration:
    'ValidatingWebhookConfiguration registers webhooks that may reject objects before they are stored.',
  VolumeAttachment: 'VolumeAttachment attaches a volume to a node, or detaches it.',
  VolumeAttributesClass:
    'VolumeAttributesClass is a set of volume attributes that can change while a volume is in use.',
}

const FIELDS: Readonly<Record<string, string>> = {
  apiVersion: 'APIVersion is the group and version of the kind.',
  kind: 'Kind is the kind of the object.',
  metadata: 'Metadata is the metadata that every object has, such as name and labels.',
  spec: 'Spec is the desired state.',
  status: 'Status is the observed state.',
}

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'

const OBJECT_META_FIELDS: Readonly<Record<string, string>> = {
  annotations: 'Annotations are non-identifying metadata of the object, set by tools and users.',
  creationTimestamp: 'CreationTimestamp is a timestamp: when the server created the object. Set by the server.',
  deletionGracePeriodSeconds:
    'DeletionGracePeriodSeconds is the number of seconds the object may take to terminate after its deletion was requested.',
  deletionTimestamp:
    'DeletionTimestamp is a timestamp: when the object is to be deleted. Set by the server when a deletion is requested.',
  finalizers: 'Finalizers must be removed before the object is deleted. Each names the component that removes it.',
  generateName: 'GenerateName is a prefix. The server appends a random suffix to it if name is not set.',
  generation: 'Generation counts changes of the desired state. Set by the server.',
  labels: 'Labels are keys and values that select objects.',
  managedFields: 'ManagedFields lists the fields that each manager owns, for server-side apply. Set by the server.',
  name: 'Name of the object, unique in its namespace. It cannot be changed.',
  namespace: 'Namespace of the object. Empty for cluster-scoped objects.',
  ownerReferences: 'OwnerReferences lists the owners of the object. It is deleted when all of them are gone.',
  resourceVersion:
    'ResourceVersion is the version of the stored object, for watches and to detect concurrent changes. Opaque.',
  selfLink: 'SelfLink is deprecated and not set.',
  uid: 'UID is unique in time and space: another object of the same name has another one. Set by the server.',
}

/** The description of a kind, if it is a built-in one. */
export function describeKind(kind: string): string | undefined {
  return Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined
}

/** The description of a field: those that all kinds have, and those of their metadata. */
export function describeField(definition: string, isKind: boolean, name: string): string | undefined {
  const fields = definition === OBJECT_META ? OBJECT_META_FIELDS : isKind ? FIELDS : {}
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}
