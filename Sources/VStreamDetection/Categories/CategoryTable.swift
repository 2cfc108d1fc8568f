internal import VStreamCore

/// The categories of classes. To change a class's category, move it to that one's list; a class in none is unknown.
enum CategoryTable {
  /// Names of COCO's classes. People, animals, vehicles and sports have no category. Classes of other models match by the
  /// same names.
  private static let namesText = """
    fashion good:
      backpack, umbrella, handbag, tie, suitcase
    food:
      banana, apple, sandwich, orange, broccoli, carrot, hot dog, pizza, donut, cake
    home good:
      bottle, wine glass, cup, fork, knife, spoon, bowl, chair, couch, bed, dining table, toilet, tv, laptop, mouse, remote,
      keyboard, cell phone, microwave, oven, toaster, sink, refrigerator, book, clock, vase, scissors, teddy bear,
      hair drier, toothbrush
    plant:
      potted plant
    """

  /// Classes of ImageNet: their numbers from 0 and first names.
  private static let numbersText = """
    fashion good:
      399 abaya, 400 academic gown, 411 apron, 414 backpack, 433 bathing cap, 439 bearskin, 443 bib, 445
      bikini, 451 bolo tie, 452 bonnet, 456 bow, 457 bow tie, 459 brassiere, 461 breastplate, 464 buckle, 465
      bulletproof vest, 474 cardigan, 490 chain mail, 496 Christmas stocking, 501 cloak, 502 clog, 514 cowboy
      boot, 515 cowboy hat, 518 crash helmet, 524 cuirass, 529 diaper, 531 digital watch, 551 face powder, 552
      feather boa, 560 football helmet, 568 fur coat, 570 gasmask, 578 gown, 584 hair slide, 585 hair spray,
      591 handkerchief, 597 holster, 601 hoopskirt, 608 jean, 610 jersey, 614 kimono, 615 knee pad, 617 lab
      coat, 629 lipstick, 630 Loafer, 631 lotion, 638 maillot, 639 maillot, 643 mask, 652 military uniform,
      655 miniskirt, 658 mitten, 667 mortarboard, 678 neck brace, 679 necklace, 689 overskirt, 697 pajama, 711
      perfume, 715 pickelhaube, 735 poncho, 748 purse, 770 running shoe, 774 sandal, 775 sarong, 793 shower
      cap, 796 ski mask, 806 sock, 808 sombrero, 824 stole, 826 stopwatch, 834 suit, 836 sunglass, 837
      sunglasses, 838 sunscreen, 841 sweatshirt, 842 swimming trunks, 869 trench coat, 879 umbrella, 885
      velvet, 887 vestment, 893 wallet, 903 wig, 906 Windsor tie, 911 wool
    food:
      924 guacamole, 925 consomme, 926 hot pot, 927 trifle, 928 ice cream, 929 ice lolly, 930 French loaf, 931
      bagel, 932 pretzel, 933 cheeseburger, 934 hotdog, 935 mashed potato, 936 head cabbage, 937 broccoli, 938
      cauliflower, 939 zucchini, 940 spaghetti squash, 941 acorn squash, 942 butternut squash, 943 cucumber,
      944 artichoke, 945 bell pepper, 946 cardoon, 947 mushroom, 948 Granny Smith, 949 strawberry, 950 orange,
      951 lemon, 952 fig, 953 pineapple, 954 banana, 955 jackfruit, 956 custard apple, 957 pomegranate, 959
      carbonara, 960 chocolate sauce, 961 dough, 962 meat loaf, 963 pizza, 964 potpie, 965 burrito, 966 red
      wine, 967 espresso, 969 eggnog, 987 corn
    home good:
      398 abacus, 409 analog clock, 412 ashcan, 418 ballpoint, 419 Band Aid, 421 bannister, 423 barber chair,
      426 barometer, 427 barrel, 431 bassinet, 434 bath towel, 435 bathtub, 438 beaker, 440 beer bottle, 441
      beer glass, 446 binder, 448 birdhouse, 453 bookcase, 455 bottlecap, 462 broom, 463 bucket, 469 caldron,
      470 candle, 473 can opener, 477 carpenter's kit, 478 carton, 481 cassette, 482 cassette player, 485 CD
      player, 487 cellular telephone, 492 chest, 493 chiffonier, 495 china cabinet, 499 cleaver, 503 cocktail
      shaker, 504 coffee mug, 505 coffeepot, 507 combination lock, 508 computer keyboard, 512 corkscrew, 516
      cradle, 519 crate, 520 crib, 521 Crock Pot, 523 crutch, 526 desk, 527 desktop computer, 528 dial
      telephone, 530 digital clock, 532 dining table, 533 dishrag, 534 dishwasher, 539 doormat, 544 Dutch
      oven, 545 electric fan, 548 entertainment center, 549 envelope, 550 espresso maker, 553 file, 556 fire
      screen, 559 folding chair, 563 fountain pen, 564 four-poster, 567 frying pan, 572 goblet, 587 hammer,
      588 hamper, 589 hand blower, 590 hand-held computer, 592 hard disc, 596 hatchet, 598 home theater, 604
      hourglass, 605 iPod, 606 iron, 611 jigsaw puzzle, 613 joystick, 618 ladle, 619 lampshade, 620 laptop,
      623 letter opener, 626 lighter, 632 loudspeaker, 633 loupe, 644 matchstick, 647 measuring cup, 648
      medicine chest, 650 microphone, 651 microwave, 653 milk can, 659 mixing bowl, 662 modem, 664 monitor,
      666 mortar, 669 mosquito net, 673 mouse, 674 mousetrap, 681 notebook, 696 paintbrush, 700 paper towel,
      709 pencil box, 710 pencil sharpener, 713 photocopier, 719 piggy bank, 720 pill bottle, 721 pillow, 725
      pitcher, 729 plate rack, 731 plunger, 732 Polaroid camera, 736 pool table, 737 pop bottle, 738 pot, 740
      power drill, 741 prayer rug, 742 printer, 745 projector, 749 quill, 750 quilt, 754 radio, 759 reflex
      camera, 760 refrigerator, 761 remote control, 765 rocking chair, 766 rotisserie, 767 rubber eraser, 769
      rule, 771 safe, 772 safety pin, 773 saltshaker, 778 scale, 782 screen, 783 screw, 784 screwdriver, 786
      sewing machine, 789 shoji, 790 shopping basket, 792 shovel, 794 shower curtain, 797 sleeping bag, 799
      sliding door, 804 soap dispenser, 809 soup bowl, 811 space heater, 813 spatula, 827 stove, 828 strainer,
      831 studio couch, 840 swab, 844 switch, 846 table lamp, 848 tape player, 849 teapot, 850 teddy, 851
      television, 854 theater curtain, 855 thimble, 857 throne, 859 toaster, 861 toilet seat, 862 torch, 868
      tray, 876 tub, 878 typewriter keyboard, 882 vacuum, 883 vase, 891 waffle iron, 892 wall clock, 894
      wardrobe, 896 washbasin, 897 washer, 898 water bottle, 899 water jug, 901 whiskey jug, 904 window
      screen, 905 window shade, 907 wine bottle, 909 wok, 910 wooden spoon, 917 comic book, 918 crossword
      puzzle, 921 book jacket, 923 plate, 968 cup, 999 toilet tissue
    place:
      406 altar, 410 apiary, 415 bakery, 424 barbershop, 425 barn, 437 beacon, 442 bell cote, 449 boathouse,
      454 bookshop, 460 breakwater, 467 butcher shop, 483 castle, 489 chainlink fence, 497 church, 498 cinema,
      500 cliff dwelling, 509 confectionery, 525 dam, 536 dock, 538 dome, 540 drilling platform, 562 fountain,
      580 greenhouse, 582 grocery store, 624 library, 634 lumbermill, 646 maze, 649 megalith, 660 mobile home,
      663 monastery, 668 mosque, 682 obelisk, 698 palace, 706 patio, 716 picket fence, 718 pier, 727
      planetarium, 743 prison, 762 restaurant, 788 shoe shop, 819 stage, 821 steel arch bridge, 825 stone
      wall, 832 stupa, 839 suspension bridge, 853 thatch, 858 tile roof, 860 tobacco shop, 865 toyshop, 873
      triumphal arch, 884 vault, 888 viaduct, 900 water tower, 912 worm fence, 915 yurt, 970 alp, 972 cliff,
      973 coral reef, 974 geyser, 975 lakeside, 976 promontory, 977 sandbar, 978 seashore, 979 valley, 980
      volcano
    plant:
      958 hay, 984 rapeseed, 985 daisy, 986 yellow lady's slipper, 988 acorn, 989 hip, 990 buckeye, 991 coral
      fungus, 992 agaric, 993 gyromitra, 994 stinkhorn, 995 earthstar, 996 hen-of-the-woods, 997 bolete, 998
      ear
    """

  /// The category of a detector's class; `unknown` for none.
  static func category(ofClass name: String) -> ObjectCategory { byName[name.lowercased()] ?? .unknown }

  /// The category of each of ImageNet's 1000 classes.
  static let ofImageNet: [ObjectCategory] = {
    var categories = [ObjectCategory](repeating: .unknown, count: 1000)
    for (category, entry) in entries(of: numbersText) {
      if let number = Int(entry.prefix { $0 != " " }), categories.indices.contains(number) {
        categories[number] = category
      }
    }
    return categories
  }()

  private static let byName = Dictionary(entries(of: namesText).map { ($1, $0) }) { first, _ in first }

  /// Parses a list: a category's name and a colon, then lines of entries between commas.
  static func entries(of text: String) -> [(ObjectCategory, String)] {
    var category = ObjectCategory.unknown
    var entries: [(ObjectCategory, String)] = []
    // An entry may continue on the next line.
    var rest = ""
    func take() {
      let words = rest.split(separator: ",").map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
      entries += words.filter { !$0.isEmpty }.map { (category, $0) }
      rest = ""
    }
    for line in text.split(separator: "\n") {
      let name = line.drop { $0 == " " }
      if name.hasSuffix(":"), let known = ObjectCategory(rawValue: String(name.dropLast())) {
        take()
        category = known
      } else {
        rest += " \(name)"
      }
    }
    take()
    return entries
  }
}
