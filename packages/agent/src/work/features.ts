/** Which optional parts of the work agent are on, by the names that Open Cluster Management gives its feature gates. */
export interface WorkFeatures {
  /** Report feedback values that are objects or lists, as JSON. */
  readonly RawFeedbackJsonString: boolean
}

/** Open Cluster Management's own defaults. */
export const DEFAULT_WORK_FEATURES: WorkFeatures = {
  RawFeedbackJsonString: false,
}
