import type { FeedbackJsonPath } from '@orrery/api'

type Paths = readonly FeedbackJsonPath[]

const conditionStatus = (type: string) => `.status.conditions[?(@.type=="${type}")].status`

const byKind: ReadonlyMap<string, Paths> = new Map<string, Paths>([
  [
    'apps/v1 Deployment',
    [
      { name: 'ReadyReplicas', path: '.status.readyReplicas' },
      { name: 'Replicas', path: '.status.replicas' },
      { name: 'AvailableReplicas', path: '.status.availableReplicas' },
    ],
  ],
  [
    'apps/v1 DaemonSet',
    [
      { name: 'NumberReady', path: '.status.numberReady' },
      { name: 'DesiredNumberScheduled', path: '.status.desiredNumberScheduled' },
      { name: 'NumberAvailable', path: '.status.numberAvailable' },
    ],
  ],
  [
    'batch/v1 Job',
    [
      { name: 'JobComplete', path: conditionStatus('Complete') },
      { name: 'JobSucceeded', path: '.status.succeeded' },
    ],
  ],
  [
    'v1 Pod',
    [
      { name: 'PodReady', path: conditionStatus('Ready') },
      { name: 'PodPhase', path: '.status.phase' },
    ],
  ],
])

/** The well-known status paths of a kind; undefined if there are none. */
export function wellKnownPaths({ apiVersion, kind }: { apiVersion: string; kind: string }): Paths | undefined {
  return byKind.get(`${apiVersion} ${kind}`)
}
