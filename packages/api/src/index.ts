export {
  ABOUT_GROUP,
  ClusterProperty,
  type ClusterPropertySpec,
  type NewClusterProperty,
} from './about/cluster-property.js'
export {
  AddOnDeploymentConfig,
  type AddOnDeploymentConfigSpec,
  AddOnDeploymentConfigV1Alpha1,
  type CustomizedVariable,
  type ImageMirror,
  type NewAddOnDeploymentConfig,
  type NewAddOnDeploymentConfigSpec,
  type NodePlacement,
  type ProxyConfig,
} from './addon/addon-deployment-config.js'
export type { AddOnMeta } from './addon/addon-meta.js'
export {
  AddOnTemplate,
  type AddOnTemplateSpec,
  type NewAddOnTemplate,
  type NewAddOnTemplateSpec,
} from './addon/addon-template.js'
export {
  ClusterManagementAddOn,
  type ClusterManagementAddOnSpec,
  type ClusterManagementAddOnStatus,
  type NewClusterManagementAddOn,
  type NewClusterManagementAddOnSpec,
} from './addon/cluster-management-addon.js'
export {
  type ClusterManagementAddOnSpecV1Alpha1,
  type ClusterManagementAddOnStatusV1Alpha1,
  ClusterManagementAddOnV1Alpha1,
  type NewClusterManagementAddOnSpecV1Alpha1,
  type NewClusterManagementAddOnV1Alpha1,
  type SupportedConfigV1Alpha1,
} from './addon/cluster-management-addon-v1alpha1.js'
export { AddOnCondition, AddOnReason } from './addon/conditions.js'
export type { AddOnConfig, AddOnConfigType, ConfigSpecHash, NewAddOnConfig } from './addon/config.js'
export { type AddOnConverter, addOnConverters, convertAddOn } from './addon/conversion/convert.js'
export { answerConversion } from './addon/conversion/review.js'
export type {
  DefaultConfigReference,
  InstallConfigReference,
  InstallProgression,
} from './addon/install-progress.js'
export type {
  InstallStrategy,
  InstallStrategyType,
  NewInstallStrategy,
  PlacementStrategy,
} from './addon/install-strategy.js'
export {
  type ConfigReference,
  ManagedClusterAddOn,
  type ManagedClusterAddOnSpec,
  type ManagedClusterAddOnStatus,
  type NewManagedClusterAddOn,
} from './addon/managed-cluster-addon.js'
export type {
  HealthCheck,
  HealthCheckMode,
  KubeClientDriver,
  RelatedObject,
} from './addon/managed-cluster-addon-status.js'
export {
  type ConfigReferenceV1Alpha1,
  type ManagedClusterAddOnSpecV1Alpha1,
  type ManagedClusterAddOnStatusV1Alpha1,
  ManagedClusterAddOnV1Alpha1,
  type NewManagedClusterAddOnV1Alpha1,
} from './addon/managed-cluster-addon-v1alpha1.js'
export {
  ADDON_ANNOTATION_PREFIX,
  ADDON_CREDENTIALS_LABEL,
  ADDON_FEATURE_LABEL_PREFIX,
  ADDON_GROUP,
  ADDON_INSTALL_NAMESPACE_LABEL,
  ADDON_NAME_LABEL,
  ADDON_NAMESPACE_LABEL,
  ADDON_PROBLEM_ANNOTATION,
  ADDON_TEMPLATE_LABEL,
  AddOnFeature,
  AddOnLifecycle,
  COPIED_FROM_LABEL,
  DELETION_ORPHAN_ANNOTATION,
  DEPRECATED_ADDON_FINALIZERS,
  DISABLE_INSTALLATION_ANNOTATION,
  HOSTING_CLUSTER_ANNOTATION,
  HOSTING_MANIFESTS_FINALIZER,
  HOSTING_PRE_DELETE_FINALIZER,
  IMAGE_PULL_SECRET,
  INSTALL_NAMESPACE_ANNOTATION,
  LIFECYCLE_ANNOTATION,
  MANIFEST_LOCATION_ANNOTATION,
  ManifestLocation,
  NO_DEFAULT_CONFIG,
  PRE_DELETE_ANNOTATION,
  PRE_DELETE_FINALIZER,
  PRE_DELETE_LABEL,
  REPORT_OBSERVED_AT_ANNOTATION,
  REPORT_VALID_UNTIL_ANNOTATION,
  TOKEN_ADDON_NAME_LABEL,
  TOKEN_INFRASTRUCTURE_LABEL,
  VALUES_ANNOTATION,
} from './addon/names.js'
export type {
  AddOnRegistration,
  AddOnRegistrationV1Alpha1,
  CustomSignerRegistration,
  KubeClientRegistration,
} from './addon/registration.js'
export type { ContainerResources } from './addon/resource-requirements.js'
export type { HubPermission, TemplateRegistration } from './addon/template-registration.js'
export {
  AddOnPlacementScore,
  type AddOnPlacementScoreItem,
  type AddOnPlacementScoreStatus,
  type NewAddOnPlacementScore,
} from './cluster/addon-placement-score.js'
export { ClusterClaim, type ClusterClaimSpec, type NewClusterClaim } from './cluster/cluster-claim.js'
export type {
  ClusterCelSelector,
  ClusterClaimSelector,
  ClusterSelector,
  GroupClusterSelector,
} from './cluster/cluster-selector.js'
export { type ClusterPhase, type ClusterState, clusterStateOf } from './cluster/cluster-state.js'
export {
  ClusterSetBindingCondition,
  ClusterSetBindingReason,
  ClusterSetCondition,
  ClusterSetReason,
  ManagedClusterCondition,
  ManagedClusterReason,
  ManagedNamespaceCondition,
  ManagedNamespaceReason,
  PlacementCondition,
  PlacementEvent,
  PlacementReason,
} from './cluster/conditions.js'
export {
  type ClientConfig,
  type ClusterSetManagedNamespace,
  clusterLeaseSeconds,
  ManagedCluster,
  type ManagedClusterClaim,
  type ManagedClusterSpec,
  type ManagedClusterStatus,
  type NewManagedCluster,
} from './cluster/managed-cluster.js'
export {
  ManagedClusterScore,
  type ManagedClusterScoreCondition,
  type ManagedClusterScoreStatus,
  type NewManagedClusterScore,
} from './cluster/managed-cluster-score.js'
export {
  type ManagedClusterSelector,
  ManagedClusterSet,
  type ManagedClusterSetSpec,
  type ManagedClusterSetStatus,
  type ManagedNamespace,
  type NewManagedClusterSet,
} from './cluster/managed-cluster-set.js'
export {
  ManagedClusterSetBinding,
  type ManagedClusterSetBindingSpec,
  type ManagedClusterSetBindingStatus,
  type NewManagedClusterSetBinding,
} from './cluster/managed-cluster-set-binding.js'
export {
  AGENT_ANNOTATION_PREFIX,
  AUTO_UPDATE_ANNOTATION,
  AUTOMATICALLY_ACCEPTED_ANNOTATION,
  CLEANUP_PRIORITY_ANNOTATION,
  CLUSTER_ARN_ANNOTATION,
  CLUSTER_FINALIZER,
  CLUSTER_GROUP,
  CLUSTER_IAM_ROLE_SUFFIX_ANNOTATION,
  CLUSTER_LEASE,
  CLUSTER_NAME_LABEL,
  CLUSTER_RESOURCES_FINALIZER,
  CLUSTER_SET_LABEL,
  DECISION_GROUP_INDEX_LABEL,
  DECISION_GROUP_NAME_LABEL,
  DEFAULT_CLUSTER_SET,
  GLOBAL_CLUSTER_SET,
  IMAGE_REGISTRIES_ANNOTATION,
  LEASE_GRACE_FACTOR_ANNOTATION,
  MANAGED_NAMESPACE_LABEL_PREFIX,
  PLACEMENT_LABEL,
  REGISTER_GROUP,
  RESERVED_CLAIMS,
  SCHEDULING_DISABLED_ANNOTATION,
  SEALING_KEY_ANNOTATION,
  SKIP_CLOCK_SYNC_ANNOTATION,
  SPOKE_ONLY_LABEL,
  UNAVAILABLE_TAINT,
  UNREACHABLE_TAINT,
} from './cluster/names.js'
export {
  type ClusterPredicate,
  type DecisionGroup,
  type DecisionGroupStatus,
  type GroupStrategy,
  type NewPlacement,
  Placement,
  type PlacementSpec,
  type PlacementStatus,
  type SpreadConstraint,
  type Toleration,
} from './cluster/placement.js'
export {
  type ClusterDecision,
  type NewPlacementDecision,
  PlacementDecision,
  type PlacementDecisionStatus,
} from './cluster/placement-decision.js'
export {
  type ExcludedCluster,
  FAILOVER_GROUP,
  FailoverCondition,
  FailoverEvent,
  FailoverReason,
  type FailoverScore,
  type NewPlacementFailover,
  type PendingMove,
  PlacementFailover,
  type PlacementFailoverSpec,
  type PlacementFailoverStatus,
  type RecentMove,
} from './cluster/placement-failover.js'
export type { PrioritizerConfig, PrioritizerPolicy, ScoreCoordinate } from './cluster/prioritizer.js'
export {
  ADDON_NAMESPACE,
  AGENT_LEADER_LEASE,
  AGENT_NAMESPACE,
  AGENT_STOPPED_ANNOTATION,
  AGENT_SUBJECT_PREFIX,
  APPROVED_ON_ANNOTATION,
  BOOTSTRAP_CLUSTER_ROLE,
  BOOTSTRAP_GROUP,
  BOOTSTRAP_SECRET,
  BOOTSTRAP_SERVICE_ACCOUNT,
  BOOTSTRAP_TOKEN_ID,
  CERTIFICATE_SECONDS_KEY,
  CLUSTER_IMPORT_SECRET,
  CLUSTER_UID_ANNOTATION,
  CLUSTER_VERSION_ANNOTATION,
  CREATED_BY_ANNOTATION,
  CSR_APPROVED_REASON,
  CSR_USER_ANNOTATION,
  GRPC_SIGNER,
  HUB_KUBECONFIG_REQUEST_SECRET,
  HUB_KUBECONFIG_SECRET,
  HUB_LEADER_LEASE,
  HUB_NAMESPACE,
  HubKubeconfigKey,
  KUBE_CLIENT_SIGNER,
  MANAGED_CLUSTERS_GROUP,
  OPERATOR_NAMESPACE,
  REGISTERED_AGENTS_ANNOTATION,
  REGISTRATION_ANNOTATION,
  RegistrationEvent,
} from './cluster/registration.js'
export type {
  MandatoryDecisionGroup,
  NewRolloutStrategy,
  RolloutAll,
  RolloutProgressive,
  RolloutProgressivePerGroup,
  RolloutStrategy,
  RolloutType,
} from './cluster/rollout.js'
export {
  calculatorOf,
  DEFAULT_SCORE_VALIDITY_SECONDS,
  SCORE_UPDATED,
  SCORE_VALIDITY_ANNOTATION,
  ScoreCalculator,
  scoreObjectName,
  scoreValidUntil,
} from './cluster/score.js'
export type { Taint, TaintEffect } from './cluster/taint.js'
export { hubCrds, spokeCrds } from './crds.js'
export { type FeatureGates, parseGates } from './feature-gates.js'
export { isFresh } from './freshness.js'
export {
  type AccessProvider,
  ClusterProfile,
  type ClusterProfileProperty,
  type ClusterProfileSpec,
  type ClusterProfileStatus,
  MULTICLUSTER_GROUP,
  type NewClusterProfile,
} from './multicluster/cluster-profile.js'
export {
  type AnyKind,
  type CrdDraft,
  crdOf,
  type DefinedKind,
  type EmbeddedObject,
  type LabelSelectorTerms,
  type SelectorRequirement,
} from './schema/index.js'
export {
  convertedCrds,
  HUB_POD_LABELS,
  HUB_WEBHOOKS,
  type HubWebhook,
  TRIAL_WEBHOOK,
  WEBHOOK_PORT,
  WEBHOOK_SECRET,
  WEBHOOK_SERVICE,
  type WebhookPhase,
} from './webhooks.js'
export {
  AppliedManifestWork,
  type AppliedManifestWorkSpec,
  type AppliedManifestWorkStatus,
  type AppliedResource,
  type NewAppliedManifestWork,
} from './work/applied-manifest-work.js'
export { applyRank } from './work/apply-order.js'
export {
  ManifestCondition,
  ManifestReason,
  ReplicaSetCondition,
  ReplicaSetReason,
  WorkCondition,
  WorkReason,
} from './work/conditions.js'
export type { DeleteOption, OrphaningRule } from './work/delete-option.js'
export type { ManifestWorkExecutor, ManifestWorkExecutorSubject } from './work/executor.js'
export { joinWork, joinWorkStatus, PARTS_NOT_REPORTED } from './work/join.js'
export type {
  ConditionRule,
  FeedbackJsonPath,
  FeedbackRule,
  ManifestConfig,
  ResourceIdentifier,
} from './work/manifest-config.js'
export type { FeedbackValue, FieldValue, ManifestResourceMeta, ManifestStatus } from './work/manifest-status.js'
export {
  ManifestWork,
  type ManifestWorkSpec,
  type ManifestWorkStatus,
  type NewManifestWork,
  type NewManifestWorkSpec,
} from './work/manifest-work.js'
export {
  DRY_RUN_COMPLETE,
  DRY_RUN_GROUP,
  type ManifestChange,
  ManifestWorkDryRun,
  type ManifestWorkDryRunSpec,
  type ManifestWorkDryRunStatus,
  type NewManifestWorkDryRun,
} from './work/manifest-work-dry-run.js'
export {
  type LocalPlacementReference,
  ManifestWorkReplicaSet,
  type ManifestWorkReplicaSetSpec,
  type ManifestWorkReplicaSetStatus,
  type ManifestWorkReplicaSetSummary,
  type NewManifestWorkReplicaSet,
  type PlacementSummary,
} from './work/manifest-work-replica-set.js'
export { configFor, hasWildcard, isIdentifiedBy, type MergedConfig } from './work/merged-config.js'
export {
  AGGREGATE_TO_WORK_LABEL,
  APPLIED_WORK_FINALIZER,
  CONFIG_SPEC_HASH_ANNOTATION,
  EXECUTE_AS_VERB,
  MAX_WORK_NAME,
  METADATA_TEMPLATE_ANNOTATION,
  OBJECT_HASH_ANNOTATION,
  ORIGINAL_SOURCE_LABEL,
  PART_ANNOTATION,
  PART_OF_LABEL,
  REPLICA_SET_FINALIZER,
  REPLICA_SET_LABEL,
  REPLICA_SET_PLACEMENT_LABEL,
  ROLLED_OUT_AT_ANNOTATION,
  TEMPLATING_ANNOTATION,
  WORK_FIELD_MANAGER,
  WORK_FINALIZER,
  WORK_GROUP,
  WORK_SERVICE_ACCOUNT,
} from './work/names.js'
export { isOwnedByWork } from './work/ownership.js'
export { type PartChanges, partChanges } from './work/part-changes.js'
export { partName, partNumber, partOfValue, partsSelector } from './work/parts.js'
export { MANIFEST_COUNT_LIMIT, MANIFEST_LIMIT, manifestSize } from './work/size.js'
export { type SplitOptions, splitWork } from './work/split.js'
export type { IgnoreField, ServerSideApplyConfig, UpdateStrategy, UpdateStrategyType } from './work/update-strategy.js'
