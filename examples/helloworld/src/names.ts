export const ADDON = 'helloworld'

/** The image of the program. The environment variable EXAMPLE_IMAGE_NAME overrides it. */
export const IMAGE = 'orrery.dev/examples/helloworld:latest'

/** The Deployment of the agent on the managed cluster. */
export const AGENT = 'helloworld-agent'
export const SERVICE_ACCOUNT = 'helloworld-agent-sa'

/** Label of the copies on the managed cluster. Its value is empty. */
export const SYNCED_LABEL = 'synced-from-hub'

/** Where the Secret with the kubeconfig for the hub is mounted. */
export const HUB_DIRECTORY = '/var/run/hub'
