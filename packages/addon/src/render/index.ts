export {
  configDecoration,
  decorateWorkload,
  type EnvironmentVariable,
  type MountedVolume,
  proxyObjects,
  type WorkloadDecoration,
  withDeploymentConfig,
} from './decorate.js'
export { DEPLOYMENT_CONFIG, deploymentConfig, installNamespaceFromConfig } from './deployment-config.js'
export {
  deploymentConfigHelmValues,
  deploymentConfigValues,
  helmValues,
  templateValues,
} from './deployment-config-values.js'
export { imageRegistries, imageValues, overrideImage } from './images.js'
export { type ManifestSource, manifestsFrom, type YamlManifestsOptions, yamlManifests } from './manifests.js'
export { type ContainerName, containerResources } from './resources.js'
export { annotationValues, collectValues, mergeValues, type Values, type ValuesSource } from './values.js'
export { compileYaml, type YamlTemplate } from './yaml-template.js'
