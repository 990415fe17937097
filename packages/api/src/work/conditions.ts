/** Conditions of a ManifestWork. Condition rules can add others. */
export const WorkCondition = {
  /** All manifests have been applied. */
  Applied: 'Applied',
  /** All objects exist on the cluster. */
  Available: 'Available',
  /** Objects are not ready yet. */
  Progressing: 'Progressing',
  /** An object has failed. */
  Degraded: 'Degraded',
  /** The work is complete and is not applied again. */
  Complete: 'Complete',
  /** The objects are being deleted. */
  Deleting: 'Deleting',
} as const
export type WorkCondition = (typeof WorkCondition)[keyof typeof WorkCondition]

/** Reasons of the conditions of a ManifestWork. */
export const WorkReason = {
  /** Applied: all manifests have been applied. */
  Applied: 'AppliedManifestWorkComplete',
  /** Applied: a manifest could not be applied. */
  ApplyFailed: 'AppliedManifestWorkFailed',
  /** Available: all objects exist. */
  ResourcesAvailable: 'ResourcesAvailable',
  /** Available: an object does not exist. */
  ResourcesNotAvailable: 'ResourcesNotAvailable',
  /** Available: the status of an object is unknown. */
  ResourcesStatusUnknown: 'ResourcesStatusUnknown',
  /** Deleting: the work is being deleted. */
  Deleting: 'WorkDeleting',
  /** Conditions of rules: aggregated over all manifests. */
  RulesAggregated: 'ConditionRulesAggregated',
  /** Progressing: the manifests are being applied. */
  Applying: 'Applying',
  /** Progressing: all objects are ready. */
  Completed: 'Completed',
  /** Progressing, Degraded: a failure occurred. */
  Failed: 'Failed',
  /** Degraded: no failure occurred. */
  AsExpected: 'AsExpected',
  /** Complete: all manifests are complete. */
  ManifestsComplete: 'ManifestsComplete',
} as const
export type WorkReason = (typeof WorkReason)[keyof typeof WorkReason]

/** Conditions of one manifest in the status of a ManifestWork. Condition rules can add others. */
export const ManifestCondition = {
  /** The manifest has been applied. */
  Applied: 'Applied',
  /** The object exists on the cluster. */
  Available: 'Available',
  /** The object is not ready yet. */
  Progressing: 'Progressing',
  /** The object has failed. */
  Degraded: 'Degraded',
  /** The object is complete and is not applied again. */
  Complete: 'Complete',
  /** The feedback values have been read. */
  StatusFeedbackSynced: 'StatusFeedbackSynced',
} as const
export type ManifestCondition = (typeof ManifestCondition)[keyof typeof ManifestCondition]

/** Reasons of the conditions of one manifest. */
export const ManifestReason = {
  /** Applied: the manifest has been applied. */
  Applied: 'AppliedManifestComplete',
  /** Applied: the manifest could not be applied. */
  ApplyFailed: 'AppliedManifestFailed',
  /** Applied: the ignored fields could not be determined. */
  IgnoreFieldError: 'AppliedManifestSSAIgnoreFieldError',
  /** Applied: another field manager owns fields of the object. */
  ApplyConflict: 'ApplyConflict',
  /** Available: the object exists. */
  ResourceAvailable: 'ResourceAvailable',
  /** Available: the object does not exist. */
  ResourceNotAvailable: 'ResourceNotAvailable',
  /** Available: the object could not be identified. */
  IncompleteResourceMeta: 'IncompleteResourceMeta',
  /** Available: the object could not be read. */
  FetchingResourceFailed: 'FetchingResourceFailed',
  /** Progressing: the object is not ready yet. */
  Applying: 'Applying',
  /** Progressing: the object is ready. */
  Completed: 'Completed',
  /** Progressing, Degraded: a failure occurred. */
  Failed: 'Failed',
  /** Degraded: no failure occurred. */
  AsExpected: 'AsExpected',
  /** StatusFeedbackSynced: the values have been read. */
  StatusFeedbackSynced: 'StatusFeedbackSynced',
  /** StatusFeedbackSynced: there are no feedback rules. */
  NoStatusFeedbackSynced: 'NoStatusFeedbackSynced',
  /** StatusFeedbackSynced: a value could not be read. */
  StatusFeedbackSyncFailed: 'StatusFeedbackSyncFailed',
  /** Conditions of rules: the rule was evaluated. */
  RuleEvaluated: 'ConditionRuleEvaluated',
  /** Conditions of rules: the rule is invalid. */
  RuleInvalid: 'ConditionRuleInvalid',
  /** Conditions of rules: the expressions failed. */
  RuleExpressionError: 'ConditionRuleExpressionError',
  /** Conditions of rules: an internal error occurred. */
  RuleInternalError: 'ConditionRuleInternalError',
} as const
export type ManifestReason = (typeof ManifestReason)[keyof typeof ManifestReason]

/** Conditions of a ManifestWorkReplicaSet. */
export const ReplicaSetCondition = {
  /** The placements exist and have decisions. */
  PlacementVerified: 'PlacementVerified',
  /** All clusters have the latest template. */
  PlacementRolledOut: 'PlacementRolledOut',
  /** All works have been applied. */
  ManifestworkApplied: 'ManifestworkApplied',
} as const
export type ReplicaSetCondition = (typeof ReplicaSetCondition)[keyof typeof ReplicaSetCondition]

/** Reasons of the conditions of a ManifestWorkReplicaSet. */
export const ReplicaSetReason = {
  /** No problem was found. */
  AsExpected: 'AsExpected',
  /** A problem was found. */
  NotAsExpected: 'NotAsExpected',
  /** PlacementVerified: no PlacementDecision was found. */
  PlacementDecisionNotFound: 'PlacementDecisionNotFound',
  /** PlacementVerified, ManifestworkApplied: the PlacementDecisions are empty. */
  PlacementDecisionEmpty: 'PlacementDecisionEmpty',
  /** PlacementRolledOut: all clusters have the latest template. */
  Complete: 'Complete',
  /** PlacementRolledOut: some clusters do not have the latest template yet. */
  Progressing: 'Progressing',
  /** ManifestworkApplied: some works have not been applied yet. */
  Processing: 'Processing',
  /** ManifestworkApplied: the name of the replica set is too long for a label. */
  InvalidManifestWorkName: 'InvalidManifestWorkName',
} as const
export type ReplicaSetReason = (typeof ReplicaSetReason)[keyof typeof ReplicaSetReason]
