import type { KubeObject } from '@orrery/kinds'
import type { Container, PodSpec, ServiceAccount, Volume } from '@orrery/kinds/core'
import { notFound } from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/types.js'
import { MOUNTED_TOKEN_SECONDS } from '../identity/token-lifetime.js'
import { generateName } from '../registry/object-meta.js'
import type { ChangeFeed } from '../store/change-feed.js'
import type { Store } from '../store/types.js'
import { refused } from './refused.js'

const BUCKET = 'serviceaccounts'
const DEFAULT = 'default'
const MIRROR = 'kubernetes.io/config.mirror'
const VOLUME = 'kube-api-access-'
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'
/** How long to wait for the default account of a new namespace. */
const TIMEOUT_MS = 1_000

export interface ServiceAccountContext {
  readonly store: Store
  readonly feed: ChangeFeed
  readonly clock: Clock
}

/** Sets the service account of new pods, which must exist, and mounts its token (ServiceAccount). */
export function serviceAccount(context: ServiceAccountContext): AdmissionPlugin {
  const { store } = context
  return {
    name: 'ServiceAccount',
    mutate(request) {
      const pod = newPod(request)
      if (pod === undefined || isMirror(pod)) return undefined
      const name = specOf(pod).serviceAccountName || DEFAULT
      const found = store.head(BUCKET, request.namespace, name)?.object()
      if (found !== undefined) return assign(pod, name, found as ServiceAccount)
      if (name !== DEFAULT) throw missing(request, name)
      return arrival(context, request.namespace).then((account) => {
        if (account === undefined) throw missing(request, name)
        assign(pod, name, account)
      })
    },
    validate(request) {
      const pod = newPod(request)
      if (pod === undefined) return
      const { serviceAccountName: name = '' } = specOf(pod)
      if (isMirror(pod)) return checkMirror(request, specOf(pod))
      if (name === '')
        throw refused(request, `no service account specified for pod ${request.namespace}/${request.name}`)
      if (store.head(BUCKET, request.namespace, name) === undefined) throw missing(request, name)
    },
  }
}

function newPod({ operation, resource, subresource, object }: AdmissionRequest): KubeObject | undefined {
  return resource.storage.bucket === 'pods' && subresource === '' && operation === 'CREATE' ? object : undefined
}

function specOf(pod: KubeObject): Partial<PodSpec> {
  return (pod.spec ?? {}) as Partial<PodSpec>
}

function isMirror({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[MIRROR] !== undefined
}

function missing(request: AdmissionRequest, name: string): Error {
  const why = notFound({ group: '', resource: 'serviceaccount' }, name).message
  return refused(request, `error looking up service account ${request.namespace}/${name}: ${why}`)
}

/** A mirror pod cannot use API objects. */
function checkMirror(request: AdmissionRequest, spec: Partial<PodSpec>): void {
  if ((spec.serviceAccountName ?? '') !== '') throw refused(request, 'a mirror pod may not reference service accounts')
  for (const { secret, projected } of spec.volumes ?? []) {
    if (secret !== undefined) throw refused(request, 'a mirror pod may not reference secrets')
    if ((projected?.sources ?? []).some(({ serviceAccountToken }) => serviceAccountToken !== undefined)) {
      throw refused(request, 'a mirror pod may not use ServiceAccountToken volume projections')
    }
  }
}

/** Resolves with the default account of a namespace once it exists; undefined after a timeout. */
function arrival(
  { store, feed, clock }: ServiceAccountContext,
  namespace: string,
): Promise<ServiceAccount | undefined> {
  return new Promise((resolve) => {
    const finish = () => {
      cancel()
      stop()
      resolve(store.head(BUCKET, namespace, DEFAULT)?.object() as ServiceAccount | undefined)
    }
    const cancel = clock.after(TIMEOUT_MS, finish)
    const stop = feed.on(BUCKET, ({ entry }) => {
      if (entry.namespace === namespace && entry.name === DEFAULT) finish()
    })
  })
}

function assign(pod: KubeObject, name: string, account: ServiceAccount): void {
  const spec = specOf(pod)
  const named = { ...spec, serviceAccountName: name, serviceAccount: name }
  const automount = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true
  const mounted = automount ? withToken(named) : named
  const { imagePullSecrets = [] } = account
  const inherits = (spec.imagePullSecrets ?? []).length === 0 && imagePullSecrets.length > 0
  pod.spec = inherits ? { ...mounted, imagePullSecrets: structuredClone(imagePullSecrets) } : mounted
}

/** Mounts the token into every container without another mount at its path. */
function withToken(spec: Partial<PodSpec>): Partial<PodSpec> {
  const existing = (spec.volumes ?? []).find(({ name }) => name.startsWith(VOLUME))
  const name = existing?.name ?? generateName(VOLUME)
  let needed = false
  const mount = (container: Container): Container => {
    const { volumeMounts = [] } = container
    if (volumeMounts.some(({ mountPath }) => mountPath === MOUNT_PATH)) return container
    needed = true
    return {
      ...container,
      volumeMounts: [...volumeMounts, { name, readOnly: true, mountPath: MOUNT_PATH }],
    }
  }
  const containers = (spec.containers ?? []).map(mount)
  const initContainers = spec.initContainers?.map(mount)
  const volumes = existing === undefined && needed ? [...(spec.volumes ?? []), tokenVolume(name)] : spec.volumes
  return {
    ...spec,
    containers,
    ...(initContainers !== undefined && { initContainers }),
    ...(volumes !== undefined && { volumes }),
  }
}

function tokenVolume(name: string): Volume {
  const sources = [
    { serviceAccountToken: { expirationSeconds: MOUNTED_TOKEN_SECONDS, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] },
    },
  ]
  return { name, projected: { defaultMode: 0o644, sources } }
}
