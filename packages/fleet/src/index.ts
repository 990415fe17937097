export { type FleetDirectory, fleetDirectory, HUB } from './directory.js'
