// Tables of the packet filter as data, whichever program printed them. Types only; the parsers are next to this file.

export interface FilterRule {
  /** As printed: the line of iptables without `-A CHAIN`, the expressions of nft as JSON. */
  readonly text: string;
  readonly comment: string | undefined;
  /** Chains that it can jump or go to, in the order of the rule; a verdict map can lead to several. */
  readonly chains: readonly string[];
  /** The action of the rule itself, in lower case: `accept`, `drop`, `masquerade`, `mark`; undefined for a jump. */
  readonly action: string | undefined;
}

export interface FilterChain {
  readonly name: string;
  /** `ACCEPT` or `DROP`; undefined for a chain that is only jumped to. */
  readonly policy: string | undefined;
  readonly rules: readonly FilterRule[];
}

export interface FilterTable {
  /** `ip`, `ip6`, `inet`; undefined where the program prints only one family and does not name it. */
  readonly family: string | undefined;
  readonly name: string;
  readonly chains: readonly FilterChain[];
}
