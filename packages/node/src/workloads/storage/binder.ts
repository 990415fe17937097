import {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  type PersistentVolumeClaimStatus,
  type PersistentVolumeStatus,
  StorageClass,
} from '@orrery/kinds'
import { formatTime, isAlreadyExists } from '@orrery/kinds/values'
import { type ControllerSpec, each, isBeingDeleted, type ReconcileContext, writeStatus } from '@orrery/kube'
import { semanticEqual } from '@orrery/kube/write'
import type { WorkloadContext } from '../context.js'
import { classOf, isFor, waitsForConsumer } from './claim.js'
import { bestVolume } from './match.js'
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  PROVISIONER,
  SELECTED_NODE,
  STORAGE_PROVISIONER,
  STORAGE_PROVISIONER_BETA,
} from './names.js'
import { volumeFor } from './provision.js'

const COMPONENT = 'persistentvolume-controller'

/**
 * The PersistentVolume binder: binds each claim to an existing volume, or to a new one if Orrery provisions its class.
 */
export function claimBinder(context: WorkloadContext): ControllerSpec {
  const claims = context.informers.of(PersistentVolumeClaim)
  const volumes = context.informers.of(PersistentVolume)
  const classes = context.informers.of(StorageClass)
  const nodes = context.informers.of(Node)
  const recorder = context.recorder(COMPONENT)
  const volumeExpectations = context.expectations(PersistentVolume)

  const recordEvent = (claim: PersistentVolumeClaim, type: 'Normal' | 'Warning', reason: string, note: string) =>
    recorder.record({ regarding: claim, type, reason, note })

  const provision = async (
    claim: PersistentVolumeClaim,
    storageClass: StorageClass,
    node: Node | undefined,
    { client, signal }: ReconcileContext,
  ) => {
    const draft = volumeFor(claim, storageClass, node, context.volumeDirectory)
    try {
      const volume = await volumeExpectations.after(client.create(PersistentVolume, draft, { signal }), signal)
      recordEvent(claim, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${volume.metadata.name}`)
      return volume
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      return client.get(PersistentVolume, { name: draft.metadata.name ?? '' }, { signal })
    }
  }

  /** Returns the volume to bind; undefined if there is none yet. */
  const chooseVolume = async (claim: PersistentVolumeClaim, run: ReconcileContext) => {
    const named = claim.spec?.volumeName ?? ''
    if (named !== '') {
      const volume = volumes.get({ name: named })
      return volume !== undefined && (volume.spec?.claimRef === undefined || isFor(volume, claim)) ? volume : undefined
    }
    const className = classOf(claim)
    const storageClass = classes.get({ name: className })
    const nodeName = claim.metadata.annotations?.[SELECTED_NODE]
    const node = nodeName === undefined ? undefined : nodes.get({ name: nodeName })
    const found = bestVolume(claim, volumes.list(), node)
    const isReserved = found?.spec?.claimRef !== undefined
    if (waitsForConsumer(storageClass) && node === undefined && !isReserved) {
      recordEvent(claim, 'Normal', 'WaitForFirstConsumer', 'waiting for first consumer to be created before binding')
      return undefined
    }
    if (found !== undefined) return found
    if (className === '') {
      const note = 'no persistent volumes available for this claim and no storage class is set'
      recordEvent(claim, 'Normal', 'FailedBinding', note)
      return undefined
    }
    if (storageClass === undefined) {
      recordEvent(claim, 'Warning', 'ProvisioningFailed', `storageclass.storage.k8s.io "${className}" not found`)
      return undefined
    }
    await noteProvisioner(claim, storageClass.provisioner, run)
    if (storageClass.provisioner === PROVISIONER) return provision(claim, storageClass, node, run)
    const note = `Waiting for a volume to be created either by the external provisioner '${storageClass.provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`
    recordEvent(claim, 'Normal', 'ExternalProvisioning', note)
    return undefined
  }

  const noteProvisioner = async (
    { metadata }: PersistentVolumeClaim,
    provisioner: string,
    { client, signal }: ReconcileContext,
  ) => {
    if (metadata.annotations?.[STORAGE_PROVISIONER] === provisioner) return
    const annotations = { [STORAGE_PROVISIONER]: provisioner, [STORAGE_PROVISIONER_BETA]: provisioner }
    const { name, namespace, uid } = metadata
    await client.patch(PersistentVolumeClaim, { name, namespace }, { metadata: { uid, annotations } }, { signal })
  }

  /** Writes the volume's `claimRef` first: a volume belongs to one claim only, and the server detects conflicts. */
  const bind = async (
    claim: PersistentVolumeClaim,
    volume: PersistentVolume,
    { client, clock, signal }: ReconcileContext,
  ) => {
    const { namespace, name, uid, resourceVersion: claimVersion } = claim.metadata
    let taken = volume
    if (volume.spec?.claimRef?.uid !== uid) {
      const { uid: volumeUid, resourceVersion } = volume.metadata
      const claimRef = {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace,
        name,
        uid,
        resourceVersion: claimVersion,
      }
      const metadata = {
        uid: volumeUid,
        resourceVersion,
        ...(volume.spec?.claimRef === undefined && { annotations: { [BOUND_BY_CONTROLLER]: 'yes' } }),
      }
      const patch = client.patch(PersistentVolume, volume.metadata, { metadata, spec: { claimRef } }, { signal })
      taken = await volumeExpectations.after(patch, signal)
    }
    const phase: PersistentVolumeStatus = { phase: 'Bound', lastPhaseTransitionTime: formatTime(clock.now()) }
    const statusOf = ({ status }: PersistentVolume) => (status?.phase === 'Bound' ? status : phase)
    await writeStatus(client, PersistentVolume, taken, statusOf, { signal })
    let bound = claim
    const annotations = claim.metadata.annotations ?? {}
    if (claim.spec?.volumeName !== volume.metadata.name || annotations[BIND_COMPLETED] === undefined) {
      const isChosenHere = (claim.spec?.volumeName ?? '') === ''
      const added = { [BIND_COMPLETED]: 'yes', ...(isChosenHere && { [BOUND_BY_CONTROLLER]: 'yes' }) }
      const change = { metadata: { uid, annotations: added }, spec: { volumeName: volume.metadata.name } }
      bound = await client.patch(PersistentVolumeClaim, { namespace, name }, change, { signal })
    }
    await writeStatus(client, PersistentVolumeClaim, bound, ({ status }) => boundStatus(status, taken), { signal })
  }

  return {
    name: 'persistentvolume-binder',
    wakes: [
      each(claims),
      // Claims may wait for a new or released volume, and a bound claim loses a deleted one.
      each(volumes, ({ spec }) => (spec?.claimRef?.name === undefined ? waiting(claims.list()) : named(spec.claimRef))),
      each(classes, ({ metadata }) => waiting(claims.list().filter((claim) => classOf(claim) === metadata.name))),
    ],
    concurrency: 5,
    async reconcile(ref, run) {
      const claim = claims.get(ref)
      if (claim === undefined || isBeingDeleted(claim)) return
      const volume = volumes.get({ name: claim.spec?.volumeName ?? '' })
      if (claim.metadata.annotations?.[BIND_COMPLETED] !== undefined && volume === undefined) {
        await lose(claim, run)
        return
      }
      const chosen = await chooseVolume(claim, run)
      if (chosen !== undefined) await bind(claim, chosen, run)
    },
  }

  async function lose(claim: PersistentVolumeClaim, { client, signal }: ReconcileContext) {
    if (claim.status?.phase === 'Lost') return
    const note = 'Bound claim has lost its PersistentVolume. Data on the volume is lost!'
    recordEvent(claim, 'Warning', 'ClaimLost', note)
    const lost: PersistentVolumeClaimStatus = { phase: 'Lost' }
    await writeStatus(client, PersistentVolumeClaim, claim, () => lost, { signal })
  }
}

function boundStatus(
  before: PersistentVolumeClaimStatus | undefined,
  { spec }: PersistentVolume,
): PersistentVolumeClaimStatus {
  const { accessModes, capacity } = spec ?? {}
  const after: PersistentVolumeClaimStatus = {
    ...before,
    phase: 'Bound',
    ...(accessModes !== undefined && { accessModes }),
    ...(capacity !== undefined && { capacity }),
  }
  return before !== undefined && semanticEqual(before, after) ? before : after
}

function waiting(claims: readonly PersistentVolumeClaim[]) {
  return claims.filter(({ status }) => status?.phase !== 'Bound').map(({ metadata }) => metadata)
}

function named({ namespace, name }: { namespace?: string; name?: string }) {
  return name === undefined ? undefined : { namespace, name }
}
