// BIRD as distributions have it, without the one attribute that Calico's BIRD adds to the language.

const filterHead = 'filter calico_kernel_programming {';

/**
 * The text as BIRD without Calico's changes reads it: `krt_tunnel`, the tunnel device of a route, becomes a variable of the
 * filter. It checks the configuration as Calico's BIRD does, and routes through tunnels are not what it would make.
 */
export const forStockBird = (text: string): string =>
  text.replace(filterHead, 'filter calico_kernel_programming\nstring krt_tunnel;\n{');
