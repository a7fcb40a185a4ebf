// Tables of the packet filter as data, from whichever program printed them. Types only; the parsers stand beside.

export interface FilterRule {
  /** As the program prints it: iptables' line without `-A CHAIN`, nft's expressions as JSON. */
  readonly text: string;
  readonly comment: string | undefined;
  /** Chains that it can jump or go to, in the order of the rule; more than one through a verdict map. */
  readonly chains: readonly string[];
  /** What is done in this rule itself, in lower case: `accept`, `drop`, `masquerade`, `mark`; undefined for a jump. */
  readonly action: string | undefined;
}

export interface FilterChain {
  readonly name: string;
  /** `ACCEPT` or `DROP`; undefined for a chain that is only jumped to. */
  readonly policy: string | undefined;
  readonly rules: readonly FilterRule[];
}

export interface FilterTable {
  /** `ip`, `ip6`, `inet`; undefined where the program prints one family only and does not say which. */
  readonly family: string | undefined;
  readonly name: string;
  readonly chains: readonly FilterChain[];
}
