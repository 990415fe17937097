import type { ObjectRef } from '@orrery/kinds'
import { keyOf } from '@orrery/kinds/values'
import type { VirtualMachineInstance } from '../kinds/instance.js'
import type { Machine, MachineDriver } from './machine.js'

/** The machines of the instances on this node. */
export class Machines {
  readonly #driver: MachineDriver
  readonly #machines = new Map<string, { readonly uid: string; readonly machine: Machine }>()
  readonly #wakers = new Set<(ref: ObjectRef) => void>()

  constructor(driver: MachineDriver) {
    this.#driver = driver
  }

  /** Returns the machine of an instance, if it has started. */
  find({ metadata }: VirtualMachineInstance): Machine | undefined {
    const known = this.#machines.get(keyOf(metadata))
    return known?.uid === metadata.uid ? known.machine : undefined
  }

  /** Returns the machine of an instance whose phase shows that it was started, by this node or an earlier run of it. */
  of(instance: VirtualMachineInstance): Machine {
    return this.find(instance) ?? this.#add(instance, 'resume')
  }

  start(instance: VirtualMachineInstance): Machine {
    return this.find(instance) ?? this.#add(instance, 'start')
  }

  /** Releases the machine of an instance that has ended or is gone. */
  async forget(ref: ObjectRef): Promise<void> {
    const known = this.#machines.get(keyOf(ref))
    this.#machines.delete(keyOf(ref))
    await known?.machine.close(0)
  }

  /** Calls back when a machine changes. Returns a function that stops that. */
  onChange(callback: (ref: ObjectRef) => void): () => void {
    this.#wakers.add(callback)
    return () => this.#wakers.delete(callback)
  }

  /** Ends all machines. Their guests may shut down for this time. */
  async close(graceSeconds: number): Promise<void> {
    const all = [...this.#machines.values()]
    this.#machines.clear()
    await Promise.all(all.map(({ machine }) => machine.close(graceSeconds)))
  }

  #add(instance: VirtualMachineInstance, how: 'start' | 'resume'): Machine {
    const { name, namespace, uid } = instance.metadata
    const machine = this.#driver[how](instance, () => {
      for (const wake of this.#wakers) wake({ name, namespace })
    })
    this.#machines.set(keyOf(instance.metadata), { uid, machine })
    return machine
  }
}
