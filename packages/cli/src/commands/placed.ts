import type { PlacementRef } from '@orrery/hub/operations'
import type { Command } from 'commander'

/** How clusters are chosen that a work is for. */
export interface PlacedOptions {
  readonly clusters?: readonly string[]
  readonly placement?: PlacementRef
  readonly replicaset?: boolean
}

/** Ends the command unless clusters are named, or a placement is, which a replica set needs. */
export function requireClustersOrPlacement(
  command: Command,
  { clusters, placement, replicaset = false }: PlacedOptions,
): void {
  if ((clusters === undefined) === (placement === undefined)) {
    command.error("error: one of '--clusters <names>' and '--placement <namespace/name>' is needed")
  }
  if (replicaset && placement === undefined) {
    command.error("error: option '--replicaset' needs '--placement <namespace/name>'")
  }
}
