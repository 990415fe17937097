/** Conditions of a ManifestWork. Rules in the work may add others. */
export const WorkCondition = {
  /** All manifests have been applied. */
  Applied: 'Applied',
  /** All objects are on the cluster. */
  Available: 'Available',
  /** The objects are not yet what they are to be. */
  Progressing: 'Progressing',
  /** Some object does not do what it should. */
  Degraded: 'Degraded',
  /** The work is done, and will not be applied again. */
  Complete: 'Complete',
  /** The objects are being deleted. */
  Deleting: 'Deleting',
} as const
export type WorkCondition = (typeof WorkCondition)[keyof typeof WorkCondition]

/** Reasons of the conditions of a ManifestWork. */
export const WorkReason = {
  /** Applied: all manifests have been. */
  Applied: 'AppliedManifestWorkComplete',
  /** Applied: some manifest could not be. */
  ApplyFailed: 'AppliedManifestWorkFailed',
  /** Available: all objects are there. */
  ResourcesAvailable: 'ResourcesAvailable',
  /** Available: some object is not there. */
  ResourcesNotAvailable: 'ResourcesNotAvailable',
  /** Available: nobody knows whether some object is there. */
  ResourcesStatusUnknown: 'ResourcesStatusUnknown',
  /** Deleting: the work is going. */
  Deleting: 'WorkDeleting',
  /** Any condition by rules: what the rules found for each manifest, taken together. */
  RulesAggregated: 'ConditionRulesAggregated',
  /** Progressing: the manifests are being applied. */
  Applying: 'Applying',
  /** Progressing: all is as it is to be. */
  Completed: 'Completed',
  /** Progressing, Degraded: something went wrong. */
  Failed: 'Failed',
  /** Degraded: nothing went wrong. */
  AsExpected: 'AsExpected',
  /** Complete: all manifests are complete. */
  ManifestsComplete: 'ManifestsComplete',
} as const
export type WorkReason = (typeof WorkReason)[keyof typeof WorkReason]

/** Conditions of one manifest in the status of a ManifestWork. Rules in the work may add others. */
export const ManifestCondition = {
  /** The manifest has been applied. */
  Applied: 'Applied',
  /** The object is on the cluster. */
  Available: 'Available',
  /** The object is not yet what it is to be. */
  Progressing: 'Progressing',
  /** The object does not do what it should. */
  Degraded: 'Degraded',
  /** The object is done, and will not be applied again. */
  Complete: 'Complete',
  /** The values asked for have been read from the object. */
  StatusFeedbackSynced: 'StatusFeedbackSynced',
} as const
export type ManifestCondition = (typeof ManifestCondition)[keyof typeof ManifestCondition]

/** Reasons of the conditions of one manifest. */
export const ManifestReason = {
  /** Applied: it has been. */
  Applied: 'AppliedManifestComplete',
  /** Applied: it could not be. */
  ApplyFailed: 'AppliedManifestFailed',
  /** Applied: the fields to leave alone could not be told. */
  IgnoreFieldError: 'AppliedManifestSSAIgnoreFieldError',
  /** Applied: somebody else owns fields of the object. */
  ApplyConflict: 'ApplyConflict',
  /** Available: the object is there. */
  ResourceAvailable: 'ResourceAvailable',
  /** Available: the object is not there. */
  ResourceNotAvailable: 'ResourceNotAvailable',
  /** Available: nobody knows which object it is. */
  IncompleteResourceMeta: 'IncompleteResourceMeta',
  /** Available: the object could not be read. */
  FetchingResourceFailed: 'FetchingResourceFailed',
  /** Progressing: the object is not yet what it is to be. */
  Applying: 'Applying',
  /** Progressing: the object is what it is to be. */
  Completed: 'Completed',
  /** Progressing, Degraded: something went wrong. */
  Failed: 'Failed',
  /** Degraded: nothing went wrong. */
  AsExpected: 'AsExpected',
  /** StatusFeedbackSynced: the values have been read. */
  StatusFeedbackSynced: 'StatusFeedbackSynced',
  /** StatusFeedbackSynced: no values were asked for. */
  NoStatusFeedbackSynced: 'NoStatusFeedbackSynced',
  /** StatusFeedbackSynced: some value could not be read. */
  StatusFeedbackSyncFailed: 'StatusFeedbackSyncFailed',
  /** Any condition by a rule: the rule has said so. */
  RuleEvaluated: 'ConditionRuleEvaluated',
  /** Any condition by a rule: the rule is none. */
  RuleInvalid: 'ConditionRuleInvalid',
  /** Any condition by a rule: its expressions failed. */
  RuleExpressionError: 'ConditionRuleExpressionError',
  /** Any condition by a rule: something else failed. */
  RuleInternalError: 'ConditionRuleInternalError',
} as const
export type ManifestReason = (typeof ManifestReason)[keyof typeof ManifestReason]

/** Conditions of a ManifestWorkReplicaSet. */
export const ReplicaSetCondition = {
  /** The placements are there and have chosen clusters. */
  PlacementVerified: 'PlacementVerified',
  /** All clusters have the latest works. */
  PlacementRolledOut: 'PlacementRolledOut',
  /** All works have been applied. */
  ManifestworkApplied: 'ManifestworkApplied',
} as const
export type ReplicaSetCondition = (typeof ReplicaSetCondition)[keyof typeof ReplicaSetCondition]

/** Reasons of the conditions of a ManifestWorkReplicaSet. */
export const ReplicaSetReason = {
  /** All is well. */
  AsExpected: 'AsExpected',
  /** Something is not well. */
  NotAsExpected: 'NotAsExpected',
  /** PlacementVerified: there is no decision. */
  PlacementDecisionNotFound: 'PlacementDecisionNotFound',
  /** PlacementVerified, ManifestworkApplied: the decisions have no cluster. */
  PlacementDecisionEmpty: 'PlacementDecisionEmpty',
  /** PlacementRolledOut: all clusters have the latest works. */
  Complete: 'Complete',
  /** PlacementRolledOut: some cluster does not have them yet. */
  Progressing: 'Progressing',
  /** ManifestworkApplied: some work has not been applied yet. */
  Processing: 'Processing',
  /** ManifestworkApplied: the name of the replica set does not fit into a label. */
  InvalidManifestWorkName: 'InvalidManifestWorkName',
} as const
export type ReplicaSetReason = (typeof ReplicaSetReason)[keyof typeof ReplicaSetReason]
