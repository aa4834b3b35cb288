package import ChatProtocol
package import SMPCrypto

/// Profiles for those who do not want to be known: a name and nothing else.
package enum RandomProfile {
    package static func make(_ random: any RandomSource) -> Profile {
        let bytes = random.bytes(4)
        let adjective = adjectives[(Int(bytes[0]) << 8 | Int(bytes[1])) % adjectives.count]
        let noun = nouns[(Int(bytes[2]) << 8 | Int(bytes[3])) % nouns.count]
        return Profile(displayName: adjective + noun, fullName: "")
    }

    private static let adjectives = words(
        """
        Able Agile Airy Amber Ample Apt Ardent Avid Awake Azure Balmy Blithe Bold Brave Breezy Bright Brisk Calm Candid Clear Clever \
        Cosy Crisp Curious Daring Deft Eager Early Easy Elegant Fabled Fair Fleet Fond Frank Fresh Gentle Glad Golden Grand Hardy \
        Hazy Honest Humble Jolly Keen Kind Lively Loyal Lucid Lucky Merry Mild Modest Neat Nimble Noble Patient Placid Plain Polite \
        Prime Prompt Proud Quick Quiet Rapid Ready Rosy Rustic Serene Sharp Silent Silver Simple Sleek Smooth Snug Solid Spry Stable \
        Steady Still Stout Sunny Sure Swift Tender Tidy Tranquil Trim True Upbeat Vivid Warm Wide Wild Wise Witty Young Zesty
        """)

    private static let nouns = words(
        """
        Acorn Alder Anchor Apple Arch Aspen Badger Basil Bay Beacon Beaver Birch Bloom Boat Breeze Bridge Brook Canyon Cedar Cherry \
        Cliff Cloud Clover Comet Coral Cove Crane Creek Cricket Dawn Delta Dolphin Dove Dune Eagle Echo Elm Ember Falcon Fern Field \
        Finch Fjord Flint Forest Fox Garden Glade Grove Harbour Hare Haven Hawk Hazel Heron Hill Island Ivy Jay Kestrel Lagoon Lake \
        Lantern Lark Leaf Lily Linden Lynx Maple Marsh Meadow Mesa Mint Moon Moss Oak Oasis Orchard Otter Owl Path Pebble Pine Pond \
        Poplar Quail Rain Reef Ridge River Robin Sail Shore Sky Snow Sparrow Spring Spruce Star Stone Stream Summit Swan Thistle \
        Tide Trail Valley Willow Wind Wren
        """)

    private static func words(_ text: String) -> [String] { text.split(whereSeparator: { $0 == " " || $0 == "\n" }).map(String.init) }
}
