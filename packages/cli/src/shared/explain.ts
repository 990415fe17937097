import { existsSync } from 'node:fs'
import { HUB_WEBHOOKS } from '@orrery/api'
import { type FleetDirectory, fleetDirectory } from '@orrery/fleet'
import { OperationError } from '@orrery/hub/operations'
import { isConnectionError, isForbidden, isNotFound, isUnauthorized, KubeconfigError } from '@orrery/kube'

/** What the API answers about a kind it does not serve. */
const NO_SUCH_KIND = 'the server could not find the requested resource'

/** What it answers when nobody answers it. */
const UNANSWERED = /failed calling webhook "([^"]+)"/

/** What went wrong with a request, and what to do about it. Errors that speak for themselves stay as they are. */
export function explainFailure(error: unknown, fleet?: FleetDirectory): unknown {
  // What was done for several clusters fails for the reason of one of them.
  const advice = adviceOn(error instanceof OperationError ? (error.cause ?? error) : error, fleet)
  return advice === undefined ? error : new Error(`${(error as Error).message}\n${advice}`, { cause: error })
}

function adviceOn(error: unknown, fleet: FleetDirectory | undefined): string | undefined {
  if (error instanceof KubeconfigError) {
    if (fleet === undefined) {
      const local = fleetDirectory()
      return existsSync(local.kubeconfig)
        ? `Name a cluster with --kubeconfig and --context. For the hub of the local fleet, add --data ${local.root}.`
        : 'Start a fleet with `orrery up`, or name a cluster with --kubeconfig and --context.'
    }
    return existsSync(fleet.kubeconfig)
      ? undefined
      : `There is no fleet in ${fleet.root}: start one with ${fleet.command('up')}.`
  }
  if (isConnectionError(error)) {
    if (fleet === undefined) return 'Is the cluster running? Choose another with --kubeconfig, --context or --data.'
    return `The fleet in ${fleet.root} may be stopped: ${fleet.command('status')} says more, ${fleet.command('up')} starts it.`
  }
  if (isUnauthorized(error)) return 'The credentials are not, or no longer, valid: use another kubeconfig or context.'
  if (isForbidden(error)) return 'Ask an administrator for the right, or use another context.'
  if (isNotFound(error) && (error as Error).message.startsWith(NO_SUCH_KIND)) {
    return 'This cluster is no hub: choose another with --context or --data, or make it one with `orrery init`.'
  }
  const [, webhook] = UNANSWERED.exec((error as Error).message) ?? []
  if (webhook !== undefined) {
    return isHubWebhook(webhook)
      ? 'The hub has to say yes, and does not answer: start it with `orrery hub`, or have it say why in its log.'
      : 'The webhook is not of Orrery: ask whoever installed it.'
  }
  return undefined
}

function isHubWebhook(name: string): boolean {
  return HUB_WEBHOOKS.some((webhook) => webhook.name === name)
}
