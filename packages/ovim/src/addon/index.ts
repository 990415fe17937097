export type { InstalledOn } from './install.js'
export { AGENT_IMAGE, OVIM_ADDON } from './names.js'
export { type OvimAddonOptions, ovimAddon } from './ovim-addon.js'
export { type StartOvimAddonOptions, startOvimAddon } from './start.js'
