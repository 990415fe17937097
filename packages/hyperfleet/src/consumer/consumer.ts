import { ConfigMap } from '@orrery/kinds'
import { isDNS1123Subdomain, isNotFound } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube/client'
import { AdapterError } from '../adapter-error.js'

const CONSUMER_VARIABLE = 'MANAGEMENT_CLUSTER_CONSUMER'
const CONSUMER_KEY = 'management_cluster_consumer'

/** Returns the name of the management cluster for a HyperFleet resource: the consumer of its works. */
export interface ConsumerTarget {
  consumerFor(resourceId: string, signal?: AbortSignal): Promise<string>
}

/** The consumer that the environment variable `MANAGEMENT_CLUSTER_CONSUMER` names. */
export function staticConsumer(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ConsumerTarget {
  return { consumerFor: async () => checked(environment[CONSUMER_VARIABLE], CONSUMER_VARIABLE) }
}

export interface ConfigMapConsumerOptions {
  readonly client: KubeClient
  readonly namespace: string
  readonly name: string
  /** Default `management_cluster_consumer`. */
  readonly key?: string
}

/** The consumer that a ConfigMap names. It is read for each resource, so that a change takes effect at once. */
export function configMapConsumer(options: ConfigMapConsumerOptions): ConsumerTarget {
  const { client, namespace, name, key = CONSUMER_KEY } = options
  const where = `ConfigMap ${namespace}/${name}`
  return {
    async consumerFor(_, signal) {
      try {
        const found = await client.get(ConfigMap, { namespace, name }, signal === undefined ? {} : { signal })
        return checked(found.data?.[key], `data[${key}] of ${where}`)
      } catch (error) {
        if (!isNotFound(error)) throw error
        throw new AdapterError('AdapterConfigNotFound', `${where} does not exist: create it with the key ${key}`)
      }
    },
  }
}

function checked(consumer: string | undefined, where: string): string {
  if (consumer === undefined || consumer === '') {
    throw new AdapterError('Configuration', `${where} is not set: set it to the name of the management cluster`)
  }
  if (isDNS1123Subdomain(consumer).length > 0) {
    throw new AdapterError(
      'Configuration',
      `${where} is not the name of a management cluster: ${JSON.stringify(consumer)}`,
    )
  }
  return consumer
}
