import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigMap, Secret } from '@orrery/kinds'
import { hasCondition } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import { PLAYED_CONDITION } from '../../conditions.js'
import type { Isolation } from '../../kubelet/isolation/isolation.js'
import { endNoted } from '../../kubelet/os/leftovers.js'
import { removeTree } from '../../kubelet/os/remove-tree.js'
import type { PersistentDirectories } from '../../kubelet/volumes/persistent-place.js'
import type { MachineImageRegistry } from '../images/machine-image-registry.js'
import { hostnameOf, PLAY_ANNOTATIONS } from '../instance/launcher-pod.js'
import type { VirtualMachineInstance } from '../kinds/instance.js'
import type { Machine, MachineDriver } from '../machine/machine.js'
import { playedDriver } from '../machine/played-machine.js'
import { claimDisk, claimPlace } from './claim-place.js'
import { DecidedMachine, EndedMachine } from './decided-machine.js'
import { findQemu } from './find-qemu.js'
import { OnlyPlayed } from './plan.js'
import { type PlanSources, planOf } from './plan-of.js'
import { QemuMachine } from './qemu-machine.js'

export interface QemuDriverOptions extends PersistentDirectories {
  readonly client: KubeClient
  readonly clock: Clock
  readonly images: MachineImageRegistry
  readonly isolation: Isolation | undefined
  /** The directory of the machines of this node. */
  readonly directory: string
}

/** Runs instances as QEMU processes, and plays those that it cannot run. */
export function qemuDriver(options: QemuDriverOptions): MachineDriver {
  const { clock, directory, isolation } = options
  const sources = sourcesOf(options)
  const decide = async (instance: VirtualMachineInstance, changed: () => void): Promise<Machine> => {
    const play = (why: string) => playedDriver(clock, why).start(instance, changed)
    try {
      const { uid, name, annotations = {} } = instance.metadata
      const asked = Object.keys(annotations).find((key) => key.startsWith(PLAY_ANNOTATIONS))
      if (asked !== undefined) return play(`the annotation ${asked} asks for it`)
      const qemu = await findQemu()
      if ('why' in qemu) return play(qemu.why)
      const plan = await planOf(instance, sources)
      const hostname = hostnameOf(instance)
      return new QemuMachine({ name, hostname, plan, qemu, isolation, directory: join(directory, uid), clock, changed })
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      return error instanceof OnlyPlayed ? play(message) : new EndedMachine(message, clock.now())
    }
  }
  return {
    start: (instance, changed) => new DecidedMachine(decide(instance, changed), changed),
    resume(instance, changed) {
      if (hasCondition(instance.status?.conditions, PLAYED_CONDITION, 'True')) {
        return playedDriver(clock).resume(instance, changed)
      }
      return new EndedMachine('The node stopped while the guest was running', clock.now())
    },
  }
}

/** Ends the machines that an earlier run of the node left behind, and removes their files. */
export async function endMachines(directory: string): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    await endNoted(join(directory, name))
    await removeTree(join(directory, name))
  }
}

function sourcesOf(options: QemuDriverOptions): PlanSources {
  const { client, images } = options
  return {
    images,
    async claimDirectory(namespace, claimName) {
      const place = await claimPlace(client, namespace, claimName, options)
      await claimDisk(place, claimName)
      return place
    },
    async secret(namespace, name) {
      const found = await client.find(Secret, { namespace, name })
      if (found === undefined) throw new Error(`secret ${JSON.stringify(name)} not found`)
      return new Map(Object.entries(found.data ?? {}).map(([key, text]) => [key, Buffer.from(text, 'base64')]))
    },
    async configMap(namespace, name) {
      const found = await client.find(ConfigMap, { namespace, name })
      if (found === undefined) throw new Error(`configmap ${JSON.stringify(name)} not found`)
      const plain = Object.entries(found.data ?? {}).map(([key, text]) => [key, Buffer.from(text)] as const)
      const encoded = Object.entries(found.binaryData ?? {}).map(
        ([key, text]) => [key, Buffer.from(text, 'base64')] as const,
      )
      return new Map([...plain, ...encoded])
    },
  }
}
