import { createHash } from 'node:crypto'
import type { Pod } from '@orrery/kinds'
import type { InterfaceStatus, VirtualMachineInstance } from '../kinds/instance.js'

/** Returns the network interfaces of a running guest. The guest has the address of its pod on the pod network. */
export function interfacesOf(instance: VirtualMachineInstance, pod: Pod, hasAgent: boolean): InterfaceStatus[] {
  const { networks = [], domain } = instance.spec
  const addresses = (pod.status?.podIPs ?? []).flatMap(({ ip }) => ip ?? [])
  const [address] = addresses
  return (domain.devices.interfaces ?? []).map(({ name, macAddress }, index) => {
    const isPodNetwork = networks.find((network) => network.name === name)?.pod !== undefined
    return {
      name,
      mac: macAddress ?? macOf(instance.metadata.uid, name),
      infoSource: hasAgent ? 'domain, guest-agent' : 'domain',
      queueCount: 1,
      linkState: 'up',
      podInterfaceName: `eth${index}`,
      ...(hasAgent && { interfaceName: `eth${index}` }),
      ...(isPodNetwork && address !== undefined && { ipAddress: address, ipAddresses: addresses }),
    }
  })
}

/** Returns a locally administered address that stays the same for an interface. */
export function macOf(uid: string, name: string): string {
  const hash = createHash('sha256').update(`${uid}/${name}`).digest()
  return ['02', ...Array.from(hash.subarray(0, 5), (byte) => byte.toString(16).padStart(2, '0'))].join(':')
}
