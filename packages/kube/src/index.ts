export type {
  ApiObject,
  Draft,
  DraftOf,
  JsonObject,
  JsonValue,
  Kind,
  KubeObject,
  ObjectMeta,
  ObjectOf,
  ObjectRef,
  OwnerReference,
} from '@orrery/kinds'
export {
  compareQuantity,
  findCondition,
  isAlreadyExists,
  isConditionFalse,
  isConditionTrue,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  labelSelectorOf,
  parseLabelSelector,
  parseQuantity,
  StatusError,
  setCondition,
  setConditions,
} from '@orrery/kinds/values'
export { type ClientOptions, KubeClient } from './client/client.js'
export type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  ObjectList,
  PatchOptions,
  Selection,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client/options.js'
export { collectionPath, objectPath } from './client/paths.js'
export type { HttpRequest, HttpResponse, Transport } from './client/transport.js'
export { type Clock, systemClock } from './clock.js'
export { type ClosingStep, closeAll } from './closing.js'
export { always } from './controller/always.js'
export type { Backoff } from './controller/backoff.js'
export { type EachOptions, each, type Mapping } from './controller/each.js'
export { ControllerGroup, type ControllerGroupOptions, startControllers } from './controller/group.js'
export type { ControllerHealth } from './controller/health.js'
export type { Leadership } from './controller/leadership.js'
export { byController, byOwner } from './controller/owner-mapping.js'
export {
  annotationsChanged,
  anyOf,
  conditionChanged,
  finalizersChanged,
  generationChanged,
  labelsChanged,
  type Predicate,
} from './controller/predicates.js'
export { requeueAfter, requeueAt, soonest } from './controller/requeue.js'
export type { ControllerSpec, Enqueue, ReconcileContext, Requeue, Wake } from './controller/types.js'
export {
  approveRequest,
  type CertificateRequestOptions,
  certificateOf,
  type Decision,
  type DecisionOptions,
  denyRequest,
  failRequest,
  type IssueOptions,
  isApproved,
  isDenied,
  isFailed,
  isPending,
  issueFor,
  type RequestedCertificate,
  readRequest,
  requestCertificate,
  type WaitOptions,
  waitForCertificate,
} from './csr/index.js'
export { type ClaimOptions, claimDirectory } from './directory-claim.js'
export {
  type ApiGroup,
  type ApiResource,
  type ApiSubresource,
  type ApiVersion,
  Catalog,
  Discovery,
  type DiscoveryOptions,
  type DynamicObject,
  isNoMatch,
  type KindName,
  NoMatchError,
  type PluralName,
  type ServerVersion,
  serverVersion,
} from './discovery/index.js'
export { candidateIdentity } from './election/candidate-identity.js'
export { type ElectionOptions, LeaderElection } from './election/election.js'
export { lead } from './election/lead.js'
export { DEFAULT_TIMING, type ElectionTiming, PATIENT_TIMING } from './election/timing.js'
export type { Happening } from './events/event.js'
export { EventRecorder, type RecorderOptions } from './events/recorder.js'
export { Informers, type InformersOptions } from './informer/informers.js'
export { LocalInformer, type LocalInformerOptions } from './informer/local-informer.js'
export type { InformerHealth } from './informer/outage.js'
export { isOlder } from './informer/resource-version.js'
export type { InformerStats, SharedInformer } from './informer/shared-informer.js'
export type { Change, Informer } from './informer/types.js'
export type { ClientConfig, Impersonation, Pem } from './kubeconfig/client-config.js'
export { type EntryNames, formatKubeconfig, kubeconfigOf } from './kubeconfig/format.js'
export { type InClusterOptions, inClusterConfig } from './kubeconfig/in-cluster.js'
export { kubeconfigPaths, type LoadOptions, loadKubeconfig, mergeKubeconfigs } from './kubeconfig/load.js'
export { parseKubeconfig } from './kubeconfig/parse.js'
export { clientConfigOf, type SelectOptions } from './kubeconfig/select.js'
export {
  type ConfigSource,
  defaultSource,
  type FindOptions,
  fixedSource,
  kubeconfigSource,
} from './kubeconfig/source.js'
export {
  type Cluster,
  type Context,
  type Entry,
  type ExecConfig,
  type Kubeconfig,
  KubeconfigError,
  type User,
} from './kubeconfig/types.js'
export { type MergeOptions, mergeIntoKubeconfig, writeKubeconfig } from './kubeconfig/write.js'
export { type LeaseRef, leaseExpiry } from './lease/expiry.js'
export { type KeptLease, keepLease, type LeaseKeeping } from './lease/keep.js'
export { type LeaseRenewal, renewLease } from './lease/renew.js'
export {
  createLogger,
  type LogFields,
  type Logger,
  type LoggerOptions,
  type LogLevel,
  silentLogger,
} from './log.js'
export type { MessageSocket } from './message-socket.js'
export { MetricFamily, type MetricOptions } from './metrics/family.js'
export { addProcessMetrics } from './metrics/process.js'
export { MetricRegistry } from './metrics/registry.js'
export { Counter, Gauge, Histogram } from './metrics/series.js'
export { isRunning, markOf, type ProcessMark } from './process-mark.js'
export { type ConnectOptions, clientFrom, connect } from './transport/connect.js'
export { ConnectionError, isConnectionError } from './transport/connection-error.js'
export { type RateLimit, rateLimited } from './transport/rate-limited.js'
export { type RetryPolicy, retrying } from './transport/retrying.js'
export { type EnsureOptions, ensure } from './write/ensure.js'
export { type EnsureCrdsOptions, ensureCrds } from './write/ensure-crds.js'
export { semanticEqual } from './write/equal.js'
export { addFinalizer, hasFinalizer, isBeingDeleted, removeFinalizer } from './write/finalizers.js'
export { changeAnnotations, changeLabels, type KeyChanges } from './write/labels.js'
export { mergePatchOf } from './write/merge-patch.js'
export {
  controllerOf,
  isOwnedBy,
  type OwnershipOptions,
  ownerReferenceTo,
  removeOwner,
  setOwner,
  withOwner,
  withoutOwner,
} from './write/owners.js'
export { type LockedPatchOptions, patchLocked, refOfObject } from './write/patch.js'
export { retryOnConflict } from './write/retry.js'
export { type ConditionWriteOptions, type StatusWriteOptions, writeConditions, writeStatus } from './write/status.js'
