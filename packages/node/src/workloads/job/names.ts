export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking'
export const INDEX_KEY = 'batch.kubernetes.io/job-completion-index'
export const FAILURE_COUNT = 'batch.kubernetes.io/job-index-failure-count'
export const OWN_CONTROLLER = 'kubernetes.io/job-controller'
