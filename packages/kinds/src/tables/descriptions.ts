/** What `kubectl explain` says about the built-in kinds. */
const KINDS: Readonly<Record<string, string>> = {
  APIService: 'A group version that is served by this or another API server.',
  Binding: 'Puts a pod on a node.',
  CSIDriver: 'How a CSI storage driver wants to be used.',
  CSINode: 'The CSI storage drivers of a node.',
  CSIStorageCapacity: 'How much room a storage class has left in one part of the cluster.',
  CertificateSigningRequest: 'Asks a signer for a certificate.',
  ClusterRole: 'Permissions that can be granted in the whole cluster or in any namespace.',
  ClusterRoleBinding: 'Grants a cluster role to users, groups or service accounts in the whole cluster.',
  ConfigMap: 'Settings for programs to read, as keys and values that are not secret.',
  ControllerRevision: 'A former state of a workload, kept so that it can be rolled back.',
  CronJob: 'Runs jobs on a schedule.',
  CustomResourceDefinition: 'Adds a resource of your own to the API.',
  DaemonSet: 'Runs a pod on every node, or on some of them.',
  DeleteOptions: 'How to delete.',
  Deployment: 'Keeps a number of identical pods running and replaces them step by step when their template changes.',
  DeviceClass: 'Selects devices by CEL expressions and configures them. Claims name it.',
  EndpointSlice: 'Some of the addresses behind a service.',
  Endpoints: 'The addresses behind a service. EndpointSlice takes its place.',
  Event: 'Something that happened to an object.',
  Eviction: 'Asks for a pod to be removed, as far as disruption budgets allow.',
  HorizontalPodAutoscaler: 'Changes the number of replicas of a workload to meet targets for metrics.',
  IPAddress: 'An address that a service uses.',
  Ingress: 'Leads HTTP traffic from outside to services, by host and path.',
  IngressClass: 'An implementation of Ingress.',
  Job: 'Runs pods until enough of them have succeeded.',
  Lease: 'A claim that somebody holds for some time, such as leadership.',
  LimitRange: 'Bounds and defaults for the resources of single objects in a namespace.',
  LocalSubjectAccessReview: 'Asks whether somebody may do something in one namespace.',
  MutatingWebhookConfiguration: 'Webhooks that may change objects before they are stored.',
  Namespace: 'A scope for names.',
  NetworkPolicy: 'Which traffic pods may send and receive.',
  Node: 'A machine that runs pods.',
  PersistentVolume: 'A piece of storage in the cluster.',
  PersistentVolumeClaim: 'Asks for a piece of storage.',
  Pod: 'Containers that run together on one node.',
  PodDisruptionBudget: 'How many pods of a set may be taken away at a time.',
  PodTemplate: 'A pod to make copies of.',
  PriorityClass: 'A name for a pod priority.',
  ReplicaSet: 'Keeps a number of identical pods running.',
  ReplicationController: 'Keeps a number of identical pods running. Deployment takes its place.',
  ResourceClaim: 'Asks for devices. Pods that name the claim run where its devices are.',
  ResourceClaimTemplate: 'A claim to make a copy of for each pod.',
  ResourceQuota: 'How much a namespace may use in all.',
  ResourceSlice: 'Devices that a driver offers, on one node or on several.',
  Role: 'Permissions in a namespace.',
  RoleBinding: 'Grants a role to users, groups or service accounts in a namespace.',
  RuntimeClass: 'A way to run containers.',
  Scale: 'The number of replicas of a workload.',
  Secret: 'Keys and values that are to be kept secret.',
  SelfSubjectAccessReview: 'Asks whether the sender may do something.',
  SelfSubjectReview: 'Asks who the sender is.',
  SelfSubjectRulesReview: 'Asks for all that the sender may do in a namespace.',
  Service: 'One address for a set of pods.',
  ServiceAccount: 'An identity for programs that run in pods.',
  ServiceCIDR: 'A range of addresses that services get theirs from.',
  StatefulSet: 'Runs pods that each have a name and storage of their own.',
  Status: 'How a request ended.',
  StorageClass: 'A kind of storage that claims can ask for.',
  SubjectAccessReview: 'Asks whether somebody may do something.',
  TokenRequest: 'Asks for a token of a service account.',
  TokenReview: 'Asks whether a token is valid and whose it is.',
  ValidatingWebhookConfiguration: 'Webhooks that may refuse objects before they are stored.',
  VolumeAttachment: 'Attaches a volume to a node, or detaches it.',
  VolumeAttributesClass: 'Attributes of volumes that can be changed while they are in use.',
}

const FIELDS: Readonly<Record<string, string>> = {
  apiVersion: 'Group and version of the kind.',
  kind: 'The kind of the object.',
  metadata: 'Name, labels and all else that every object has.',
  spec: 'What is wanted.',
  status: 'What is there, as last observed.',
}

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'

const OBJECT_META_FIELDS: Readonly<Record<string, string>> = {
  annotations: 'Annotations are notes of any kind that tools and people leave on the object.',
  creationTimestamp: 'CreationTimestamp is a timestamp: when the server made the object. Set by the server.',
  deletionGracePeriodSeconds: 'How many seconds the object may take to end once its deletion was asked for.',
  deletionTimestamp:
    'DeletionTimestamp is a timestamp: when the object is to be gone. Set by the server upon a delete.',
  finalizers: 'Who has to finish something before the object can go; it goes when the list is empty.',
  generateName: 'A prefix from which the server makes a name that is free, when no name is given.',
  generation: 'Counts changes of what is wanted. Set by the server.',
  labels: 'Labels are names and values by which objects are selected.',
  managedFields: 'Which manager owns which fields, for server-side apply. Kept by the server.',
  name: 'Name of the object, unique in its namespace. It cannot be changed.',
  namespace: 'Namespace the object is in; empty for those that are in none.',
  ownerReferences: 'The objects this one depends on: it is deleted when all of them are gone.',
  resourceVersion: 'The version of the object as stored, for watches and to detect concurrent changes. Opaque.',
  selfLink: 'Not used any more.',
  uid: 'UID is unique in time and space: another object of the same name has another one. Set by the server.',
}

/** A sentence about a kind, if it is one we know. */
export function describeKind(kind: string): string | undefined {
  return Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined
}

/** A sentence about a field of a definition: those that all kinds have, and those of their metadata. */
export function describeField(definition: string, isKind: boolean, name: string): string | undefined {
  const fields = definition === OBJECT_META ? OBJECT_META_FIELDS : isKind ? FIELDS : {}
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}
