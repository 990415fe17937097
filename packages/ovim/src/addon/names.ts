/** The name of the add-on: of its ClusterManagementAddOn and its ManagedClusterAddOns. */
export const OVIM_ADDON = 'ovim'

/** The Deployment of the agent on the managed cluster, and its service account, roles and container. */
export const AGENT = 'ovim-spoke-agent'

/** The image of the agent, without its tag. Embedded clusters run a program of this name instead. */
export const AGENT_IMAGE = 'orrery.dev/ovim-spoke-agent'

/** The namespace of the agent, unless an AddOnDeploymentConfig names another. */
export const AGENT_NAMESPACE = 'ovim-system'

/** The port of the agent's local API. */
export const API_PORT = 8080

/** Where the Secret with the credentials for the hub is mounted. */
export const HUB_DIRECTORY = '/var/run/hub'
/** Where the certificate authority of the hub service is mounted. */
export const CA_DIRECTORY = '/var/run/ovim-hub'
