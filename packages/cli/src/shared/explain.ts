import { existsSync } from 'node:fs'
import { HUB_WEBHOOKS } from '@orrery/api'
import { type FleetDirectory, fleetDirectory } from '@orrery/fleet'
import { OperationError } from '@orrery/hub/operations'
import { isForbidden, isNotFound, isUnauthorized } from '@orrery/kinds/values'
import { KubeconfigError } from '@orrery/kube/kubeconfig'
import { isConnectionError } from '@orrery/kube/transport'

/** The message of an API server for a resource it does not serve. */
const NO_SUCH_KIND = 'the server could not find the requested resource'

/** The message of an API server that cannot call a webhook. */
const UNANSWERED = /failed calling webhook "([^"]+)"/

/** Adds advice to the error of a request. Errors without advice are returned unchanged. */
export function explainFailure(error: unknown, fleet?: FleetDirectory): unknown {
  // The cause of an operation on several clusters is the error of one of them.
  const advice = adviceOn(error instanceof OperationError ? (error.cause ?? error) : error, fleet)
  return advice === undefined ? error : new Error(`${withoutRequest(error as Error)}\n${advice}`, { cause: error })
}

/** The message of an error. A failed connection names the server, not the request that failed first. */
export function withoutRequest(error: Error): string {
  const { message } = error
  return isConnectionError(error) ? message.replace(/(?:GET|POST|PUT|PATCH|DELETE) \/\S*: /, '') : message
}

function adviceOn(error: unknown, fleet: FleetDirectory | undefined): string | undefined {
  if (error instanceof KubeconfigError) {
    if (fleet === undefined) {
      const local = fleetDirectory()
      return existsSync(local.kubeconfig)
        ? `Select a cluster with --kubeconfig and --context. For the hub of the local fleet, add --data ${local.root}.`
        : 'Start a fleet with `orrery up`, or select a cluster with --kubeconfig and --context.'
    }
    return existsSync(fleet.kubeconfig)
      ? undefined
      : `No fleet in ${fleet.root}: start one with ${fleet.command('up')}.`
  }
  if (isConnectionError(error)) {
    if (fleet === undefined) return 'The cluster is unreachable. Select another with --kubeconfig, --context or --data.'
    return `The fleet in ${fleet.root} is unreachable: check it with ${fleet.command('status')}, start it with ${fleet.command('up')}.`
  }
  if (isUnauthorized(error)) return 'The credentials are invalid or have expired: use another kubeconfig or context.'
  if (isForbidden(error)) return 'Ask an administrator for the permission, or use another context.'
  if (isNotFound(error) && (error as Error).message.startsWith(NO_SUCH_KIND)) {
    return 'This cluster is not a hub: select another with --context or --data, or run `orrery init` to make it a hub.'
  }
  const [, webhook] = UNANSWERED.exec((error as Error).message) ?? []
  if (webhook !== undefined) {
    return isHubWebhook(webhook)
      ? 'The webhook of the hub does not respond: start the hub with `orrery hub`, or check its log.'
      : 'The webhook does not belong to Orrery: ask an administrator of the cluster.'
  }
  return undefined
}

function isHubWebhook(name: string): boolean {
  return HUB_WEBHOOKS.some((webhook) => webhook.name === name)
}
