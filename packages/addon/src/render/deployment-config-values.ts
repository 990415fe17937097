import type { AddOnDeploymentConfigSpec, ContainerResources, ProxyConfig } from '@orrery/api'
import type { JsonObject, JsonValue } from '@orrery/kinds'
import { deploymentConfig } from './deployment-config.js'
import { containerIdRegex } from './resources.js'
import { mergeValues, type ValuesSource } from './values.js'

/** The values of the AddOnDeploymentConfig of an add-on, as `templateValues` gives them. */
export const deploymentConfigValues: ValuesSource = async (_cluster, addon, context) => {
  const config = await deploymentConfig(addon, context)
  return config && templateValues(config.spec)
}

/** The values of the AddOnDeploymentConfig of an add-on, as `helmValues` gives them. */
export const deploymentConfigHelmValues: ValuesSource = async (_cluster, addon, context) => {
  const config = await deploymentConfig(addon, context)
  return config && helmValues(config.spec)
}

/**
 * The values of an AddOnDeploymentConfig with the names of Open Cluster Management's templates: the customized variables, and
 * `NodeSelector`, `Tolerations`, `HTTPProxy`, `HTTPSProxy`, `NoProxy`, `ProxyCABundle` and `ResourceRequirements` as far as they
 * are configured.
 */
export function templateValues(spec: AddOnDeploymentConfigSpec): JsonObject {
  const { nodePlacement, resourceRequirements = [] } = spec
  const { httpProxy = '', httpsProxy = '', noProxy = '' } = spec.proxyConfig ?? {}
  const caBundle = caBundleOf(spec.proxyConfig)
  return {
    ...variablesOf(spec),
    ...(nodePlacement && {
      NodeSelector: { ...nodePlacement.nodeSelector },
      Tolerations: asJson(nodePlacement.tolerations ?? []),
    }),
    ...(httpProxy !== '' && { HTTPProxy: httpProxy }),
    ...(httpsProxy !== '' && { HTTPSProxy: httpsProxy }),
    ...(noProxy !== '' && { NoProxy: noProxy }),
    ...(caBundle !== '' && { ProxyCABundle: caBundle }),
    ...(resourceRequirements.length > 0 && {
      ResourceRequirements: resourceRequirements.map(({ containerID, resources }) => ({
        ContainerIDRegex: containerIdRegex(containerID),
        Resources: amountsOf(resources),
        ResourcesRaw: asJson(resources),
      })),
    }),
  }
}

/** The values of an AddOnDeploymentConfig where Helm charts of Open Cluster Management expect them: most under `global`. */
export function helmValues(spec: AddOnDeploymentConfigSpec): JsonObject {
  const { nodePlacement, resourceRequirements = [] } = spec
  return mergeValues(
    variablesOf(spec),
    nodePlacement && {
      tolerations: asJson(nodePlacement.tolerations ?? []),
      global: { nodeSelector: { ...nodePlacement.nodeSelector } },
    },
    helmProxyValues(spec.proxyConfig),
    resourceRequirements.length > 0
      ? {
          global: {
            resourceRequirements: resourceRequirements.map(({ containerID, resources }) => ({
              containerIDRegex: containerIdRegex(containerID),
              resources: amountsOf(resources),
              resourcesRaw: asJson(resources),
            })),
          },
        }
      : undefined,
  )
}

/** The CA certificates of a proxy in PEM; empty if there are none. */
export function caBundleOf({ caBundle = '' }: ProxyConfig = {}): string {
  return Buffer.from(caBundle, 'base64').toString('utf8')
}

function helmProxyValues(proxy: ProxyConfig | undefined): JsonObject | undefined {
  const { httpProxy = '', httpsProxy = '', noProxy = '' } = proxy ?? {}
  if (httpProxy === '' && httpsProxy === '') return undefined
  const caBundle = caBundleOf(proxy)
  const proxyConfig = {
    ...(httpProxy !== '' && { HTTP_PROXY: httpProxy }),
    ...(httpsProxy !== '' && { HTTPS_PROXY: httpsProxy }),
    ...(noProxy !== '' && { NO_PROXY: noProxy }),
    ...(caBundle !== '' && { PROXY_CA_BUNDLE: caBundle }),
  }
  return { global: { proxyConfig } }
}

function variablesOf({ customizedVariables = [] }: AddOnDeploymentConfigSpec): JsonObject {
  return Object.fromEntries(customizedVariables.map(({ name, value = '' }) => [name, value]))
}

/** The amounts as text: templates write them into quotes. */
function amountsOf({ limits, requests }: ContainerResources['resources']): JsonObject {
  const texts = (amounts: object) =>
    Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]))
  return { ...(limits && { limits: texts(limits) }), ...(requests && { requests: texts(requests) }) }
}

function asJson(value: unknown): JsonValue {
  return value as JsonValue
}
