export const ADDON = 'basic-addon'

/** The image of the program. The environment variable EXAMPLE_IMAGE_NAME overrides it. */
export const IMAGE = 'orrery.dev/examples/basic-addon:latest'

/** The Deployment of the agent on the managed cluster, its service account, roles and bindings. */
export const AGENT = 'basic-addon-agent'

/** Where the Secret with the kubeconfig for the hub is mounted. */
export const HUB_DIRECTORY = '/var/run/hub'

/** The names of the reports. */
export const REPORTS = {
  configMap: 'pod-report',
  condition: 'PodCountHealthy',
  score: 'basic-addon-score',
  claim: 'basic-addon.k8s-version',
} as const
