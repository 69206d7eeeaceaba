"""Authors propose the five links of a world as compact artifacts; expansion makes the world from them."""
